"""What goes wrong, and what it says: function, position and name of the argument, what was expected and what came."""

import jitffi

libc = jitffi.load_library(None)
labs = libc.bind("labs", "(x: i64) -> i64")
strlen = libc.bind("strlen", "(text: cstr) -> u64")
getenv = libc.bind("getenv", "(name: cstr) -> cstr")
chdir = libc.bind("chdir", "(path: cstr) -> i32", errno=True)

MISTAKES = {
    "a wrong type": lambda: labs(2.5),
    "an int too large": lambda: labs(2**63),
    "one argument too many": lambda: labs(1, 2),
    "a name that is none": lambda: labs(y=1),
    "NUL inside a C string": lambda: strlen("a\0b"),
    "NULL where the signature has no optional[...]": lambda: getenv("JITFFI_NO_SUCH_NAME"),
    "errno": lambda: chdir("/no/such/folder"),
    "a slip in a signature": lambda: libc.bind("labs", "(x: i64, y: f46) -> i64"),
    "a slip in a prototype": lambda: libc.bind("labs", "long labs(lang x);"),
    "a symbol that is not there": lambda: libc.bind("lbas", "(i64) -> i64"),
    "a library that is not there": lambda: jitffi.load_library("libnot-there.so"),
}

for mistake, make in MISTAKES.items():
    try:
        make()
    except Exception as error:
        print(f"{mistake}\n  {type(error).__name__}: " + str(error).replace("\n", "\n  "))
