"""Functions that read, write and make lists, dicts, tuples and sets, each with arguments: test_own_containers.py."""

# ruff: noqa: B006, B007, B905, C416, E701, E702, E741, PERF402, RUF

CASES = []


def case(*args):
    def enter(function):
        CASES.append((function, args))
        return function

    return enter


@case([1, 2, 3])
def sum1(xs):
    t = 0
    for x in xs:
        t += x
    return t


@case(["a", "bb", "ccc"])
def lens(ws):
    n = 0
    for w in ws:
        n += len(w)
    return n


@case(["to", "be", "or", "to"])
def cnt(ws):
    c = {}
    for w in ws:
        c[w] = c.get(w, 0) + 1
    return c


@case({"a": 1, "b": 2})
def items(d):
    n = 0
    for k, v in d.items():
        n += v + len(k)
    return n


@case({"a": 1, "b": 2}, "b")
def get(d, k):
    return d.get(k), d.get("z"), d.get("z", 5), k in d, "q" in d, len(d)


@case({"a": 1}, "a", 5)
def setit(d, k, v):
    d[k] = v
    d["new"] = [v]
    d[3] = v
    return d


@case([3, 1, 2])
def srt(xs):
    xs.sort()
    return xs, sorted(xs, reverse=True), sum(xs), max(xs), min(xs)


@case([3, 1, 2])
def idx(xs):
    return xs[0], xs[-1], xs[1:], xs[:-1], xs[::-1]


@case([3, 1, 2])
def idx2(xs):
    return xs[7]


@case([3, 1, 2])
def idx3(xs):
    xs[5] = 1


@case({"a": 1})
def keyerr(d):
    return d["zz"]


@case({"a": 1})
def chg(d):
    for k in d:
        d[k + "x"] = 1


@case([1, 2, 3])
def grow(xs):
    for x in xs:
        if len(xs) < 10:
            xs.append(x)
    return xs


@case([1, 2, 3, 4])
def compr(xs):
    return [x * 2 for x in xs if x > 1]


@case([1, 2, 3, 4])
def compr2(xs):
    return {x: x * 2 for x in xs}


@case([(1, 2), (3, 4)])
def unp(ps):
    t = 0
    for a, b in ps:
        t += a * b
    return t


@case((1, "x", 2.5))
def tup(t):
    a, b, c = t
    return c, b, a, len(t), t[1], t


@case([1, 2, 3])
def pops(xs):
    return xs.pop(), xs.pop(0), xs


@case({1, 2, 3})
def sets(s):
    s.add(5)
    s.discard(1)
    return s, 5 in s, len(s)


@case([[1, 2], [3]])
def nested(m):
    n = 0
    for r in m:
        for x in r:
            n += x
        r.append(n)
    m.append([n])
    return m


@case({"x": [1]})
def esc(d):
    row = []
    row.append(1)
    row.append("s")
    d["row"] = row
    row.append(3)
    return row is d["row"], d


@case(["a", "b"])
def enum(ws):
    return [(i, w) for i, w in enumerate(ws)]


@case(["a", "b"], [1, 2])
def zips(ws, ns):
    return list(zip(ws, ns)), dict(zip(ws, ns))


@case("the cat the dog", {})
def into(text, d):
    for w in text.split():
        d[w] = d.get(w, 0) + 1
    return d


@case(["x y", "z"])
def spl(ls):
    out = []
    for l in ls:
        out.append(l.split())
    return out


@case([5, 3], [5, 3])
def eq(a, b):
    return a == b, a != b, a is b, a < b, a + b, a * 2


@case([1, 2, 3])
def deli(xs):
    del xs[0]
    xs[0:1] = [7, 8]
    xs += [9]
    xs[0] += 1
    return xs


@case([1, "a", None, 2.5, True])
def kinds(xs):
    return [isinstance(x, int) for x in xs], [str(x) for x in xs], [x for x in xs if x]


@case(["b", "a"])
def srtkey(ws):
    return sorted(ws, key=len), sorted(ws, key=lambda w: w), max(ws, key=len), ws.index("a"), ws.count("z")


@case({"b": 1, "a": 2})
def srtitems(d):
    return (
        sorted(d.items()),
        sorted(d.items(), key=lambda kv: kv[1]),
        sorted(d),
        list(d),
        list(d.values()),
        max(d, key=d.get),
    )


@case(
    [1, 2],
)
def alias(xs):
    ys = xs
    ys.append(1)
    zs = list(xs)
    zs.append(2)
    ws = xs[:]
    cs = xs.copy()
    return xs, ys is xs, zs, ws, cs


@case([1, 2, 3])
def ann(xs: list[int], k: int = 2) -> list[int]:
    ys: list[int] = []
    for x in xs:
        ys.append(x * k)
    xs.append(7)
    return xs


@case({"a": 1})
def ann2(d: dict[str, int]) -> dict[str, int]:
    e: dict[str, int] = d
    e["b"] = 2
    return e


@case(["x", "yy"])
def ann3(ws: "list[str]") -> list[str]:
    out: list[str] = []
    for w in ws:
        out.append(w + "!")
    return out


@case(3)
def res1(n):
    return [[i, i + 1] for i in range(n)]


@case(3)
def res2(n):
    return [(i, str(i)) for i in range(n)]


@case(3)
def res3(n):
    return {i: [i] for i in range(n)}


@case(3)
def res4(n):
    return n, n + 1, [n]


@case(3)
def res5(n):
    if n > 2:
        return n, 1
    return None


@case(3)
def res6(n):
    a = []
    b = [a, a]
    a.append(b)
    return len(b), b[0] is b[1]


@case(3)
def res7(n):
    a = [n]
    return [a, a], {"k": a}


@case(2)
def res8(n):
    m = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            m[i][j] = i * j
    return m


@case(5)
def rec(n):
    if n <= 0:
        return []
    return [n] + rec(n - 1)


@case(5)
def rec2(n):
    if n <= 0:
        return (0, [])
    a, b = rec2(n - 1)
    b.append(n)
    return a + n, b


def helper(xs):
    xs.append(len(xs))
    return xs


@case([1])
def calls(xs):
    ys = helper(xs)
    zs = helper([5])
    return ys is xs, zs, helper(helper(xs))


@case([3, 1], len)
def pycall(xs, f):
    return f(xs), f([1, 2, 3])


@case(b"", [5], "abc")
def split_twice(data, xs, by):
    """What takes text for what outlives the call, and does not, is compiled once more."""
    parts = "-".join(each[:2] for each in "ab".split(by or None) if each).split(by or None)
    if data:
        parts += parts[:20]
    return xs, parts
