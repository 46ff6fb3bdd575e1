"""Regular expressions as code: a pattern's text -> LLVM IR, with the semantics of Python's `re`.

text, flags
    | read.Pattern              Python's parser's tree -> nodes, one tree for an alphabet (nodes.py)
    |                           sets of characters (charset.py), alternatives by what they begin with (factor.py)
    | plan.Planner              where nothing need be come back for
    | function.define           the function: the search (scan.py), then the attempt (code.py: loops.py, places.py;
    v                           chars.py tests characters, stack.py keeps what there is to come back for)
an LLVM function: data, end, start -> the groups' places
"""
