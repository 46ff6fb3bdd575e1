"""C++ headers: what they declare with C linkage, as the same sheet of C declarations that C headers give.

    own.hpp
        |  clang            clang++'s syntax tree, one declaration of the file at a time, and its preprocessor's text
        v
    entities                the declarations with their scopes and linkage
        |  types            those that C can have, declared where they are needed; `spelling` has C's words for them,
        v                   and `callback_names` what the parameters of callbacks are called
    sheet                   one text a declaration, in C; what is left out, with the reason

`language` says which headers are C++.
"""
