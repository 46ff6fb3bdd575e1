"""expat by its header: handlers in Python, the parser's own buffers, structs by value, memory, encodings."""

from __future__ import annotations

import ctypes
import gc

import pytest

import jitffi

DOCUMENT = """<?xml version="1.0"?>
<!DOCTYPE list [<!ELEMENT list (item*, note?)> <!ELEMENT item (#PCDATA)> <!ENTITY who "World">]>
<list kind="\u00fc&lt;"><item n="1">Hello &who;</item><!-- said --><item>\u4e16\u754c</item></list>"""


@pytest.fixture(scope="module")
def expat(bound_header):
    return bound_header("expat.h", "expat", "libexpat1-dev", keep_callbacks=("XML_Set*Handler",))


@pytest.fixture
def parser(expat):
    made = expat.XML_ParserCreate(None)
    yield made
    expat.XML_ParserFree(made)


def listening(expat, parser):
    """What the parser tells, in a list."""
    told = []

    def start(_, name, attributes):
        pairs = []
        while attributes[len(pairs)] is not None:
            pairs.append(attributes[len(pairs)])
        told.append((name, dict(zip(pairs[::2], pairs[1::2], strict=True))))

    expat.XML_SetElementHandler(parser, start, lambda _, name: told.append(f"/{name}"))
    expat.XML_SetCharacterDataHandler(parser, lambda _, text, size: told.append(jitffi.text(text, size)))
    expat.XML_SetCommentHandler(parser, lambda _, text: told.append(f"#{text}"))
    gc.collect()  # nobody but the module holds the functions
    return told


WANTED = [
    ("list", {"kind": "\u00fc<"}), ("item", {"n": "1"}), "Hello World", "/item", "# said ", ("item", {}),
    "\u4e16\u754c", "/item", "/list",
]  # fmt: skip


def joined(told):
    made = []
    for each in told:
        texts = isinstance(each, str) and not each.startswith(("/", "#"))
        if texts and made and isinstance(made[-1], str) and not made[-1].startswith(("/", "#")):
            made[-1] += each
        else:
            made.append(each)
    return made


def test_a_document_at_once(expat, parser):
    told = listening(expat, parser)
    content = DOCUMENT.encode()
    assert expat.XML_Parse(parser, content, len(content), 1) == expat.XML_STATUS_OK
    assert joined(told) == WANTED


def test_a_document_in_the_parsers_own_buffers(expat, parser):
    told, content = listening(expat, parser), DOCUMENT.encode()
    for at in range(0, len(content), 9):
        piece = content[at : at + 9]
        ctypes.memmove(expat.XML_GetBuffer(parser, len(piece)), piece, len(piece))
        assert expat.XML_ParseBuffer(parser, len(piece), at + 9 >= len(content)) == expat.XML_STATUS_OK
    assert joined(told) == WANTED
    status = expat.XML_ParsingStatus()
    expat.XML_GetParsingStatus(parser, status)
    assert (status.parsing, status.finalBuffer) == (expat.XML_FINISHED, 1)


def test_errors_have_places_and_words(expat, parser):
    text = "<a>\n  <b></c>\n</a>"
    assert expat.XML_Parse(parser, text, len(text), 1) == expat.XML_STATUS_ERROR
    code = expat.XML_GetErrorCode(parser)
    assert code == expat.XML_Error.XML_ERROR_TAG_MISMATCH and expat.XML_ErrorString(code) == "mismatched tag"
    assert (expat.XML_GetCurrentLineNumber(parser), expat.XML_GetCurrentColumnNumber(parser)) == (2, 7)


def test_exceptions_come_out_of_the_parser(expat, parser):
    def start(_, name, attributes):
        raise LookupError(name)

    expat.XML_SetElementHandler(parser, start, None)
    with pytest.raises(LookupError, match="list"):
        expat.XML_Parse(parser, DOCUMENT, len(DOCUMENT.encode()), 1)


def test_a_tree_of_structs(expat, parser):
    """The handler gets the content model, a tree that expat has made, and frees it."""
    found = []

    def tree(model):
        children = [model.children[i] for i in range(model.numchildren)] if model.numchildren else []
        name = None if model.name is None else jitffi.text(model.name)
        return name, int(model.type), int(model.quant), [tree(each) for each in children]

    def declared(_, name, model):
        found.append((name, tree(model.value)))
        expat.XML_FreeContentModel(parser, model)

    expat.XML_SetElementDeclHandler(parser, declared)
    content = DOCUMENT.encode()
    assert expat.XML_Parse(parser, content, len(content), 1) == expat.XML_STATUS_OK
    sequence, rep, opt = expat.XML_CTYPE_SEQ, expat.XML_CQUANT_REP, expat.XML_CQUANT_OPT
    assert found[0] == (
        "list",
        (None, sequence, 0, [("item", expat.XML_CTYPE_NAME, rep, []), ("note", expat.XML_CTYPE_NAME, opt, [])]),
    )
    assert found[1] == ("item", (None, expat.XML_CTYPE_MIXED, 0, []))


def test_versions_by_value_and_features_in_an_array(expat):
    version = expat.XML_ExpatVersionInfo()
    assert f"expat_{version.major}.{version.minor}.{version.micro}" == expat.XML_ExpatVersion()
    assert version.major == expat.XML_MAJOR_VERSION
    features, names = expat.XML_GetFeatureList(), {}
    for i in range(100):
        if features[i].feature == expat.XML_FEATURE_END:
            break
        names[features[i].name] = features[i].value
    assert names["sizeof(XML_Char)"] == 1


def test_memory_of_python(expat):
    """Functions in a struct, which the parser copies: the struct's owner keeps them."""
    libc = jitffi.load_library(None, cdef="void *malloc(size_t); void *realloc(void *, size_t); void free(void *);")
    living = set()

    def malloc(size):
        living.add(address := libc.malloc(size))
        return address

    def realloc(address, size):
        living.discard(address)
        living.add(moved := libc.realloc(address, size))
        return moved

    def free(address):
        living.discard(address)
        libc.free(address)

    suite = expat.XML_Memory_Handling_Suite(malloc, realloc, free)
    parser = expat.XML_ParserCreate_MM(None, suite, None)
    assert len(living) > 3
    content = DOCUMENT.encode()
    assert expat.XML_Parse(parser, content, len(content), 1) == expat.XML_STATUS_OK
    expat.XML_ParserFree(parser)
    assert not living


def test_an_encoding_that_expat_does_not_know(expat, parser):
    """The handler fills an array in a struct of the parser's."""

    def unknown(_, name, encoding):
        table = [ord(bytes([i]).decode("cp1251", "replace")) for i in range(256)]
        encoding.value.map = [-1 if each == 0xFFFD else each for each in table]
        return 1 if name == "windows-1251" else 0

    told = listening(expat, parser)
    expat.XML_SetUnknownEncodingHandler(parser, unknown, None)
    content = '<?xml version="1.0" encoding="windows-1251"?><a>\u041f\u0440\u0438\u0432\u0435\u0442</a>'.encode(
        "cp1251"
    )
    assert expat.XML_Parse(parser, content, len(content), 1) == expat.XML_STATUS_OK
    assert joined(told) == [("a", {}), "\u041f\u0440\u0438\u0432\u0435\u0442", "/a"]
