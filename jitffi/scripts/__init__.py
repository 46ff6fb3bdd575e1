"""Scripts: Python functions without annotations, compiled to code on slots.

    def f(...)  -- source.of -->     text, positions                     ScriptError where there is no source
        | reader.read                Python's tree -> ours (tree.py)     ScriptError for what scripts do not have
        v
    tree.Function                    names resolved, no types; made to check it, at decoration, and when code is made
        | infer.infer                the types of one variant (types.py): a function and its parameters' types
        v
    tree.Function, typed             what `inspect_types` prints
        | lower.module_text          typed tree -> LLVM IR, a function a variant, and entries
        v
    IR text -- llvm.object_files --> an object: cached, emitted, or linked in memory (loading) and called

What the words mean stands in docs/glossary.md.
"""
