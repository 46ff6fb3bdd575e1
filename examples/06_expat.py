"""expat: handlers that are registered first and called later, kept by the functions they were given to."""

import jitffi

expat = jitffi.load_library("libexpat.so.1")
create = expat.bind("XML_ParserCreate", "(encoding: optional[cstr] = None) -> ptr")
free = expat.bind("XML_ParserFree", "(parser: ptr) -> void")
START, END, TEXT = "(ptr, cstr, ptr) -> void", "(ptr, cstr) -> void", "(ptr, ptr, i32) -> void"
set_elements = expat.bind(
    "XML_SetElementHandler", f"(ptr, start: func[{START}], end: func[{END}]) -> void", keep_callbacks=True
)
set_text = expat.bind("XML_SetCharacterDataHandler", f"(ptr, text: func[{TEXT}]) -> void", keep_callbacks=True)
parse = expat.bind("XML_Parse", "(parser: ptr, data: ptr[const void], length: i32, final: i32) -> i32")
memory = jitffi.load_library(None).bind("memcpy", "(ptr, ptr, u64) -> ptr")

XML = b"<library><book lang='la'>De rerum natura</book><book lang='de'>Faust</book></library>"
depth = 0


def start(data, name, attributes):
    global depth
    print("  " * depth + name)
    depth += 1


def end(data, name):
    global depth
    depth -= 1


def text(data, where, length):
    buffer = bytearray(length)
    memory(buffer, where, length)
    print("  " * depth + buffer.decode())


parser = create()
set_elements(parser, start, end)
set_text(parser, text)
assert parse(parser, XML, len(XML), 1) == 1
free(parser)
