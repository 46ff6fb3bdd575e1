"""curl by its header: options by variadic calls, bodies and headers by functions of Python's, several transfers at a
time by the multi interface, linked lists, errors and addresses; against a server of Python's own."""

from __future__ import annotations

import gc
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import numpy as np
import pytest

import jitffi

#: curl waits for a server that is Python's: without the lock.
SIDE = """
[functions."curl_*_perform"]
nogil = true

[functions."curl_multi_[pw]*"]
nogil = true

[functions.curl_mime_data_cb]
keep_callbacks = true

[functions.curl_mime_data]
types.data = "const u8[datasize]"
"""
#: curl_write_callback and curl_read_callback.
MOVED = "(data: ptr[u8], size: u64, count: u64, user: ptr) -> u64"
CONTENT = bytes(i * 7 % 251 for i in range(200_000))


@pytest.fixture(scope="module")
def curl(bound_header, tmp_path_factory):
    side = tmp_path_factory.mktemp("side") / "curl.toml"
    side.write_text(SIDE)
    module = bound_header("curl/curl.h", "curl", "libcurl4-openssl-dev", side=side)
    assert module.curl_global_init(module.CURL_GLOBAL_ALL) == module.CURLE_OK
    return module


class Handler(BaseHTTPRequestHandler):
    """GET of a number gives so many bytes, POST gives back what it gets."""

    protocol_version = "HTTP/1.1"

    def answer(self, body, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/plain")
        for name, value in self.headers.items():
            if name.startswith("X-"):
                self.send_header(f"{name}-Back", value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # noqa: N802
        number = self.path.strip("/")
        self.answer(CONTENT[: int(number)]) if number.isdigit() else self.answer(b"no such thing", 404)

    def do_POST(self):  # noqa: N802
        self.answer(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def server():
    """The address of a server."""
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


class Transfer:
    """An easy handle, what it receives, and what curl has of Python's."""

    def __init__(self, curl, url, **options):
        self.curl, self.body, self.headers = curl, bytearray(), []
        self.handle = curl.curl_easy_init()
        self.error = jitffi.new(f"i8[{curl.CURL_ERROR_SIZE}]")
        self.write, self.head = jitffi.function(MOVED)(self.take), jitffi.function(MOVED)(self.take_header)
        self.kept = list(options.values())
        self.set(
            URL=url, PROXY="", WRITEFUNCTION=self.write, HEADERFUNCTION=self.head, ERRORBUFFER=self.error, **options
        )

    def set(self, **options):
        for name, value in options.items():
            status = self.curl.curl_easy_setopt(self.handle, getattr(self.curl, f"CURLOPT_{name}"), value)
            assert status == self.curl.CURLE_OK, (name, self.curl.curl_easy_strerror(status))

    def take(self, data, size, count, user):
        self.body.extend(data.array(size * count))
        return size * count

    def take_header(self, data, size, count, user):
        self.headers.append(data.text(size * count).rstrip())
        return size * count

    def info(self, name, type_):
        place = jitffi.new(type_)
        assert self.curl.curl_easy_getinfo(self.handle, getattr(self.curl, f"CURLINFO_{name}"), place) == 0
        return place.value

    def perform(self):
        return self.curl.CURLcode(self.curl.curl_easy_perform(self.handle))

    def close(self):
        self.curl.curl_easy_cleanup(self.handle)


@pytest.fixture
def transfer(curl, server):
    """transfer("/7", OPTION=value): a Transfer from the server, closed at the end."""
    made = []

    def make(path, **options):
        made.append(Transfer(curl, server + path if path.startswith("/") else path, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


# -- one at a time -----------------------------------------------------------------------------------------------------


def test_get(curl, transfer):
    one = transfer("/100000", USERAGENT="j\u00e4gd", TIMEOUT_MS=20_000)
    gc.collect()  # the functions: nobody but us holds them
    assert one.perform() is curl.CURLE_OK and one.body == CONTENT[:100_000]
    assert one.headers[0] == "HTTP/1.1 200 OK" and "Content-Length: 100000" in one.headers
    assert one.info("RESPONSE_CODE", "i64") == 200 and one.info("SIZE_DOWNLOAD_T", "i64") == 100_000
    assert 0 < one.info("TOTAL_TIME", "f64") < 20 and one.info("CONTENT_TYPE", "cstr") == "text/plain"
    assert one.info("EFFECTIVE_URL", "ptr[i8]").text().endswith("/100000") and one.info("REDIRECT_URL", "cstr") is None
    assert one.info("PRIMARY_PORT", "i64") == urlsplit(one.info("EFFECTIVE_URL", "cstr")).port


def test_post_of_what_a_function_reads(curl, transfer):
    given = memoryview(CONTENT)

    @jitffi.function(MOVED)
    def read(data, size, count, user):
        nonlocal given
        piece, given = given[: size * count], given[size * count :]
        data.array(len(piece))[:] = piece
        return len(piece)

    one = transfer("/", POST=True, READFUNCTION=read, POSTFIELDSIZE_LARGE=len(CONTENT))
    assert one.perform() is curl.CURLE_OK and one.body == CONTENT and not given
    assert one.info("SIZE_UPLOAD_T", "i64") == len(CONTENT)


def test_options_that_are_long(curl, transfer):
    """An int reaches what reads a long with its sign: -1 is a length that curl finds itself."""
    one = transfer("/", POSTFIELDS=b"four", POSTFIELDSIZE=-1)
    assert one.perform() is curl.CURLE_OK and one.body == b"four"
    assert curl.curl_easy_setopt(one.handle, curl.CURLOPT_POSTFIELDSIZE, -2) == curl.CURLE_BAD_FUNCTION_ARGUMENT
    assert curl.curl_easy_setopt(one.handle, curl.CURLOPT_TIMEOUT, -1) == curl.CURLE_BAD_FUNCTION_ARGUMENT
    one.body.clear()
    one.set(POSTFIELDSIZE_LARGE=np.int64(5), COPYPOSTFIELDS="three and more")
    assert one.perform() is curl.CURLE_OK and one.body == b"three"


def test_request_headers_are_a_linked_list(curl, transfer):
    first = None
    for line in ("X-One: 1", "X-Two: zw\u00f6lf"):
        first = curl.curl_slist_append(first, line)
    assert first.value.data.text() == "X-One: 1" and first.value.next.value.data.text() == "X-Two: zw\u00f6lf"
    assert first.value.next.value.next is None
    own = curl.curl_slist(data=bytearray(b"X-Three: 3\0"), next=first)  # one of ours before them
    one = transfer("/1", HTTPHEADER=jitffi.addressof(own))
    assert one.perform() is curl.CURLE_OK and {"X-One-Back: 1", "X-Three-Back: 3"} < set(one.headers)
    place = jitffi.new("ptr[curl.curl_header]")
    assert curl.curl_easy_header(one.handle, "content-TYPE", 0, curl.CURLH_HEADER, -1, place) == curl.CURLHE_OK
    header = place.value.value
    assert (header.name.text(), header.value.text(), header.amount) == ("Content-Type", "text/plain", 1)
    one.set(HTTPHEADER=None, COOKIEFILE="", COOKIELIST="Set-Cookie: a=b; domain=127.0.0.1")
    cookies = one.info("COOKIELIST", "ptr[curl.curl_slist]")
    assert cookies.value.data.text().split("\t")[-2:] == ["a", "b"]
    for each in (first, cookies):
        curl.curl_slist_free_all(each)


def test_progress_and_what_is_told(curl, transfer):
    told, seen = [], []

    @jitffi.function("(user: ptr, total: i64, now: i64, to_send: i64, sent: i64) -> i32")
    def progress(user, total, now, to_send, sent):
        told.append((total, now))
        return total == 200_000 and now == total  # enough

    @jitffi.function("(handle: ptr, kind: i32, data: ptr[u8], size: u64, user: ptr) -> i32")
    def debug(handle, kind, data, size, user):
        seen.append((curl.curl_infotype(kind), data.text(size) if kind <= curl.CURLINFO_HEADER_OUT else size))
        return 0

    one = transfer("/200000", NOPROGRESS=False, XFERINFOFUNCTION=progress, VERBOSE=1, DEBUGFUNCTION=debug)
    assert one.perform() is curl.CURLE_ABORTED_BY_CALLBACK and told[-1] == (200_000, 200_000)
    assert "Callback aborted" in one.error.text()
    assert (curl.CURLINFO_HEADER_IN, "HTTP/1.1 200 OK\r\n") in seen
    assert [text for kind, text in seen if kind is curl.CURLINFO_HEADER_OUT][0].startswith("GET /200000 HTTP/1.1\r\n")


def test_forms_with_a_part_that_a_function_reads(curl, transfer):
    freed, given = [], [b"first, ", b"second", b""]
    one = transfer("/")
    form = curl.curl_mime_init(one.handle)

    def read(data, size, count, user):
        piece = given.pop(0)
        data.cast("ptr[u8]").array(len(piece))[:] = np.frombuffer(piece, np.uint8)
        return len(piece)

    part = curl.curl_mime_addpart(form)
    assert curl.curl_mime_name(part, "text") == curl.CURLE_OK and curl.curl_mime_data(part, b"a\0b") == curl.CURLE_OK
    part = curl.curl_mime_addpart(form)
    assert curl.curl_mime_name(part, "read") == curl.curl_mime_type(part, "text/x") == curl.CURLE_OK
    assert curl.curl_mime_data_cb(part, 13, read, None, lambda user: freed.append(user), None) == curl.CURLE_OK
    del read
    gc.collect()  # kept, as the side file says
    one.set(MIMEPOST=form)
    assert one.perform() is curl.CURLE_OK and b"\r\n\r\na\0b\r\n" in one.body
    assert b'name="read"\r\nContent-Type: text/x\r\n\r\nfirst, second\r\n' in one.body
    curl.curl_mime_free(form)
    assert freed == [None]


# -- several at a time -------------------------------------------------------------------------------------------------


def finished(curl, multi):
    """The messages of what is done, each as the handle and the result."""
    left = jitffi.new("i32")
    while message := curl.curl_multi_info_read(multi, left):
        assert message.value.msg == curl.CURLMSG_DONE
        yield message.value.easy_handle, curl.CURLcode(message.value.data.result)


def test_transfers_in_parallel(curl, transfer):
    multi, running = curl.curl_multi_init(), jitffi.new("i32")
    paths = ["/1000", "/200000", "/missing", "/0", "/50000"]
    transfers = {each.handle: each for each in (transfer(path, FAILONERROR=True) for path in paths)}
    for handle in transfers:
        assert curl.curl_multi_add_handle(multi, handle) == curl.CURLM_OK
    assert curl.curl_multi_add_handle(multi, next(iter(transfers))) == curl.CURLM_ADDED_ALREADY
    found, running.value, woken = {}, 1, jitffi.new("i32")
    while running.value:
        assert curl.curl_multi_perform(multi, running) == curl.CURLM_OK
        found.update(finished(curl, multi))
        if running.value:
            assert curl.curl_multi_poll(multi, None, 0, 1000, woken) == curl.CURLM_OK
    for handle in transfers:
        assert curl.curl_multi_remove_handle(multi, handle) == curl.CURLM_OK
    assert curl.curl_multi_cleanup(multi) == curl.CURLM_OK
    results = [found[each.handle] for each in transfers.values()]
    assert results == [curl.CURLE_OK, curl.CURLE_OK, curl.CURLE_HTTP_RETURNED_ERROR, curl.CURLE_OK, curl.CURLE_OK]
    assert [len(each.body) for each in transfers.values()] == [1000, 200_000, 0, 0, 50_000]


def test_a_descriptor_of_our_own_wakes_the_waiting(curl):
    multi, woken = curl.curl_multi_init(), jitffi.new("i32")
    one, other = socket.socketpair()
    with one, other:
        waiting = jitffi.new("curl.curl_waitfd[1]", [curl.curl_waitfd(one.fileno(), curl.CURL_WAIT_POLLIN)])
        assert curl.curl_multi_poll(multi, waiting, 1, 1, woken) == curl.CURLM_OK and woken.value == 0
        other.send(b"x")
        assert curl.curl_multi_wait(multi, waiting, 1, 5000, woken) == curl.CURLM_OK and woken.value == 1
        assert waiting[0].revents == curl.CURL_WAIT_POLLIN
    assert curl.curl_multi_cleanup(multi) == curl.CURLM_OK
    assert curl.curl_multi_strerror(curl.CURLM_BAD_HANDLE) == "Invalid multi handle"


def test_an_event_loop_is_told_what_to_wait_for(curl, transfer):
    """By the functions of the multi handle: sockets and times."""
    multi, running, sockets, timeouts = curl.curl_multi_init(), jitffi.new("i32"), {}, []

    @jitffi.function("(easy: ptr, socket: i32, what: i32, user: ptr, of_socket: ptr) -> i32")
    def watch(easy, which, what, user, of_socket):
        sockets[which] = what
        return 0

    @jitffi.function("(multi: ptr, timeout: i64, user: ptr) -> i32")
    def timer(multi, timeout, user):
        timeouts.append(timeout)
        return 0

    assert curl.curl_multi_setopt(multi, curl.CURLMOPT_SOCKETFUNCTION, watch) == curl.CURLM_OK
    assert curl.curl_multi_setopt(multi, curl.CURLMOPT_TIMERFUNCTION, timer) == curl.CURLM_OK
    one = transfer("/3000")
    assert curl.curl_multi_add_handle(multi, one.handle) == curl.CURLM_OK and timeouts == [0]
    running.value, woken = 1, jitffi.new("i32")
    assert curl.curl_multi_socket_action(multi, curl.CURL_SOCKET_TIMEOUT, 0, running) == curl.CURLM_OK
    while running.value:
        curl.curl_multi_wait(multi, None, 0, 100, woken)
        for which, what in list(sockets.items()):
            if what != curl.CURL_POLL_REMOVE:
                assert curl.curl_multi_socket_action(multi, which, 0, running) == curl.CURLM_OK
        assert curl.curl_multi_socket_action(multi, curl.CURL_SOCKET_TIMEOUT, 0, running) == curl.CURLM_OK
    assert list(finished(curl, multi)) == [(one.handle, curl.CURLE_OK)] and len(one.body) == 3000 and sockets
    curl.curl_multi_remove_handle(multi, one.handle)
    assert curl.curl_multi_cleanup(multi) == curl.CURLM_OK


def test_transfers_in_threads(curl, transfer):
    transfers = [transfer(f"/{1000 * i}", NOSIGNAL=1) for i in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(Transfer.perform, transfers)) == {curl.CURLE_OK}
    assert [len(each.body) for each in transfers] == [1000 * i for i in range(8)]


# -- errors ------------------------------------------------------------------------------------------------------------


def test_a_refused_port(curl, transfer):
    with socket.socket() as unused:  # bound, and nobody listens
        unused.bind(("127.0.0.1", 0))
        one = transfer(f"http://127.0.0.1:{unused.getsockname()[1]}/")
        assert one.perform() is curl.CURLE_COULDNT_CONNECT and one.info("OS_ERRNO", "i64") > 0
    assert one.error.text().startswith("Failed to connect to 127.0.0.1 port")
    assert curl.curl_easy_strerror(curl.CURLE_COULDNT_CONNECT) == "Couldn't connect to server"
    one.set(URL="none://x")
    assert one.perform() is curl.CURLE_UNSUPPORTED_PROTOCOL and '"none" not supported' in one.error.text()


def test_what_a_function_does_wrong(curl, transfer):
    @jitffi.function(MOVED)
    def too_little(data, size, count, user):
        return 1

    @jitffi.function(MOVED)
    def fail(data, size, count, user):
        raise LookupError("not today")

    one = transfer("/1000")
    one.set(WRITEFUNCTION=too_little)
    assert one.perform() is curl.CURLE_WRITE_ERROR and one.error.text().startswith("Fail")
    one.set(WRITEFUNCTION=fail)
    with pytest.raises(LookupError, match="not today"):
        one.perform()
    one.set(WRITEFUNCTION=jitffi.function(MOVED)(lambda *given: 0))  # which nobody holds
    gc.collect()
    with pytest.raises(
        RuntimeError, match="called after its Function was released: keep it, or bind with keep_callbacks"
    ):
        one.perform()
    with pytest.raises(
        TypeError, match=r"curl_easy_setopt: argument 3: .*got function: a callable has an address that"
    ):
        one.set(WRITEFUNCTION=lambda *given: 0)


# -- what needs no server ----------------------------------------------------------------------------------------------


def test_version(curl):
    info = curl.curl_version_info(curl.CURLVERSION_NOW).value
    assert info.version in curl.curl_version().text() and info.version_num >> 16 == int(info.version.split(".")[0])
    assert info.age >= curl.CURLVERSION_FOURTH and info.features & curl.CURL_VERSION_IPV6 in (0, curl.CURL_VERSION_IPV6)
    names, at = [], info.protocols
    while at.value is not None:
        names.append(at.value)
        at = at + 1
    assert {"http", "file"} <= set(names) and info.ssl_version is not None


def test_options_by_name(curl):
    option = curl.curl_easy_option_by_name("writefunction").value
    assert (option.id, option.type) == (curl.CURLOPT_WRITEFUNCTION, curl.CURLOT_FUNCTION)
    names, at = [], curl.curl_easy_option_next(None)
    while at:
        names.append(at.value.name)
        at = curl.curl_easy_option_next(at)
    assert len(names) > 200 and {"URL", "HTTPHEADER"} < set(names)


def test_addresses(curl):
    handle, place = curl.curl_url(), jitffi.new("ptr[i8]")

    def part(what, flags=0):
        status = curl.curl_url_get(handle, getattr(curl, f"CURLUPART_{what}"), place, flags)
        if status != curl.CURLUE_OK:
            return curl.CURLUcode(status)
        text = place.value.text()
        curl.curl_free(place.value)
        return text

    address = "https://user:secret@example.org:8443/a/../b%20c?q=1#end"
    assert curl.curl_url_set(handle, curl.CURLUPART_URL, address, 0) == curl.CURLUE_OK
    wanted = urlsplit(address)
    assert (part("SCHEME"), part("HOST"), part("PORT")) == (wanted.scheme, wanted.hostname, str(wanted.port))
    assert (part("QUERY"), part("FRAGMENT"), part("USER")) == (wanted.query, wanted.fragment, wanted.username)
    assert part("PATH") == "/b%20c" and part("PATH", curl.CURLU_URLDECODE) == "/b c"
    assert part("OPTIONS") is curl.CURLUE_NO_OPTIONS
    other = curl.curl_url_dup(handle)
    assert curl.curl_url_set(handle, curl.CURLUPART_URL, "../x?y=\u00e4", curl.CURLU_URLENCODE) == curl.CURLUE_OK
    assert part("URL") == "https://user:secret@example.org:8443/x?y=%c3%a4"
    assert curl.curl_url_set(handle, curl.CURLUPART_PORT, "99999", 0) == curl.CURLUE_BAD_PORT_NUMBER
    assert "port" in curl.curl_url_strerror(curl.CURLUE_BAD_PORT_NUMBER).lower()
    curl.curl_url_cleanup(handle)
    handle = other
    assert part("PORT") == "8443"
    curl.curl_url_cleanup(other)


def test_texts_that_are_the_callers_to_free(curl):
    handle, size = curl.curl_easy_init(), jitffi.new("i32")
    made = curl.curl_easy_escape(handle, "a b/\u00fc", 0)
    assert made.text() == "a%20b%2F%C3%BC"
    again = curl.curl_easy_unescape(handle, made.text(), 0, size)
    assert again.text(size.value) == "a b/\u00fc"
    for each in (made, again):
        curl.curl_free(each)
    curl.curl_easy_cleanup(handle)
    assert curl.curl_getdate("Sun, 06 Nov 1994 08:49:37 GMT", None) == 784111777
