// Values of each kind through functions of JavaScript behind packed entries and back; what callbacks throw; arrays.
import { JitffiError, NDArray, instantiate } from "./all.mjs";
import assert from "node:assert/strict";
const same = (x) => x, seen = [];
const names = "b i8_ u8_ i16_ u16_ i32_ u32_ i64_ u64_ f32_ f64_ ptr_ cstr_ ocstr str_ ostr bytes_ ucs4_ any_ un li ll mp tp shp ob fn nd nds und".split(" ");
const t = await instantiate({ callees: { ...Object.fromEntries(names.map((n) => [n, same])),
  oi: (x, y) => [x, y],
  callit: (f, x) => f(x), strcb: (f, x) => f(x, 7, ["a", x]), lcb: (f, x) => f(x),
  arr: (x) => { seen.push(x); for (let i = 0; i < x.data.length; i++) x.data[i] *= 2; return { data: x.data, shape: x.shape }; },
  sum: (x) => x.data.reduce((a, b) => a + b, 0), nothing: () => {}, thrice: (f) => { f(); f(); f(); } } });
const eq = (a, b) => assert.deepEqual(a, b);
const fails = (kind, f, text) => { try { f(); } catch (e) { assert(e instanceof JitffiError, String(e.stack)); eq(e.kind, kind); if (text) eq(e.message, text); return; } assert.fail(`no ${kind}`); };
eq(t.b(true), true); eq(t.b(false), false);
for (const [n, lo, hi] of [["i8", -128, 127], ["u8", 0, 255], ["i16", -32768, 32767], ["u16", 0, 65535], ["i32", -(2 ** 31), 2 ** 31 - 1], ["u32", 0, 2 ** 32 - 1]]) {
  eq(t[n + "_"](lo), lo); eq(t[n + "_"](hi), hi); fails("OverflowError", () => t[n + "_"](hi + 1)); fails("OverflowError", () => t[n + "_"](lo - 1)); fails("TypeError", () => t[n + "_"](0.5));
}
for (const v of [-(2n ** 63n), 2n ** 63n - 1n, 0n]) eq(t.i64_(v), v);
eq(t.i64_(5), 5n); fails("OverflowError", () => t.i64_(2n ** 63n)); fails("TypeError", () => t.i64_(2 ** 60));
for (const v of [0n, 2n ** 64n - 1n, 2n ** 63n]) eq(t.u64_(v), v); fails("OverflowError", () => t.u64_(-1));
eq(t.f32_(0.5), 0.5); eq(t.f64_(Infinity), Infinity); eq(t.f64_(NaN), NaN); eq(t.f64_(0.1), 0.1); eq(t.f64_(3n), 3);
eq(t.ptr_(4096), 4096); eq(t.ptr_(null), null);
const texts = ["", "a", "1234567", "12345678", "grüße", "漢字😀", "x".repeat(100000), "nul\0in"];
for (const s of texts) { eq(t.str_(s), s); eq(t.ucs4_(s), s); eq(t.any_(s), s); eq(t.ostr(s), s); eq(t.un(s), s); if (!s.includes("\0")) { eq(t.cstr_(s), s); eq(t.ocstr(s), s); } eq(t.bytes_(new TextEncoder().encode(s)), new TextEncoder().encode(s)); }
eq(t.ostr(null), null); eq(t.ocstr(null), null); eq(t.any_(null), null); eq(t.any_(5n), 5n); eq(t.any_(1.5), 1.5); eq(t.any_(true), true); eq(t.un(3), 3n);
eq(t.oi(), [null, null]); eq(t.oi(3, 2.5), [3n, 2.5].map((x) => x === 3n ? 3 : x)); 
eq(t.li([1, 2, 3]), [1, 2, 3]); eq(t.li([]), []); fails("TypeError", () => t.li(["a"])); fails("OverflowError", () => t.li([2 ** 31]) );
eq(t.ll([1n, "zwei", [3.5, null], new Map([["k", true]])]), [1n, "zwei", [3.5, null], new Map([["k", true]])]);
eq(t.mp({ a: 1, b: 2n }), new Map([["a", 1n], ["b", 2n]])); eq(t.tp([4, "x"]), [4, "x"]); eq(t.shp([2, 3]), [2, 3]);
eq(t.callit((x) => [x, x], "y"), ["y", "y"]);
const f = (x) => x; assert(t.fn(f) === f);
eq(t.strcb((s, n, l) => `${s}${n}${l.join("")}`, "q"), "q7aq");
eq(t.lcb((n) => [n, n + 1], 5), [5, 6]);
// errors keep their identity through native code
const mine = new RangeError("mine");
let calls = 0;
assert.throws(() => t.strcb(() => { throw mine; }, "q"), (e) => e === mine);
assert.throws(() => t.thrice(() => { calls++; throw mine; }), (e) => e === mine); 
eq(calls, 1);  // what failed once is not called again
eq(t.nothing(), undefined); let n = 0; t.thrice(() => n++); eq(n, 3);
fails("TypeError", () => t.nothing(1)); fails("TypeError", () => t.b(), "b: expected 1 argument, got 0");
// arrays
const a = t.$.array("f64", [2, 3], [1, 2, 3, 4, 5, 6]); const before = a.data.byteOffset;
const r = t.arr(a); eq([...a.data], [2, 4, 6, 8, 10, 12]); eq(r.shape, [2, 3]); eq(seen[0].data.byteOffset, before); assert(r instanceof NDArray);
const outside = { data: new Float64Array([1, 2]), shape: [1, 2] }; t.arr(outside); eq([...outside.data], [2, 4]);
eq(t.sum(new Float32Array([1, 2, 3.5])), 6.5); eq(t.sum(new (class Mine extends Float32Array {})([1, 2])), 3);
const buffer = Buffer.from([1, 2]); eq([...t.nd(buffer).data], [1, 2]); eq([...t.bytes_(buffer)], [1, 2]);
fails("TypeError", () => t.sum(new Float64Array(3))); fails("TypeError", () => t.sum([1, 2]));
for (const given of [a, new Float32Array([1, 2]), outside]) {
  const [one, two] = [t.nd(given), t.nds([given])[0]];
  for (const each of [one, two]) { assert(each instanceof NDArray); eq(each.data[1], (given.data ?? given)[1]); each.release(); }
}
for (const shape of [[3], [1], [1.5], "ab", [-2, -1]]) fails("ValueError", () => t.nd({ data: new Float64Array([7, 8]), shape }));
assert(t.und(new JitffiError("ValueError", "e")) instanceof Error); eq([...t.und(new Uint8Array([1, 2]).buffer)], [1, 2]);
fails("TypeError", () => t.nd(3)); fails("TypeError", () => t.nd([1, 2]));
a.release(); fails("ValueError", () => t.arr(a));
t.$.setGlobal("js.twice", (x) => x * 2n); eq(t.$.getGlobal("js.twice")(21n), 42n); eq(t.$.getGlobal("none"), null);
const held = t.$.hold(new Map([["k", 1n]])); eq(t.mp(held), new Map([["k", 1n]])); held.release();

// Nothing is left behind, whatever fails; callbacks' places in the table are used again.
const table = t.$.exports.__indirect_function_table;
const round = () => {
  t.ll([["x".repeat(99)], new Map([["k", "y".repeat(99)]])]);
  t.strcb((s) => s, "z");
  t.arr({ data: new Float64Array(4), shape: [2, 2] }).release();
  for (const wrong of [() => t.li([1, "a"]), () => t.mp({ k: "a" }), () => t.callit(() => { throw mine; }, 1), () => t.tp([1])]) {
    assert.throws(wrong);
  }
};
round();
const [objects, places] = [t.$.exports.jf_live_objects(), table.length];
for (let i = 0; i < 100; i++) round();
eq(t.$.exports.jf_live_objects(), objects);
eq(table.length, places);

// A callback that native code keeps.
let kept = null;
const other = await instantiate({ callees: { ...Object.fromEntries(names.map((n) => [n, same])), oi: same, callit: same, strcb: same, lcb: same, arr: same, sum: same, nothing: () => kept(), thrice: (f) => { kept = f; } } });
other.thrice(other.$.keep(() => { calls = 7; }));
other.nothing();
eq(calls, 7);
await assert.rejects(instantiate(), { kind: "ImportError", message: /needs what is not given: callees\.b, / });

// What a callee gives that is not of its result's type.
const wrongs = await instantiate({ callees: { ...Object.fromEntries(names.map((n) => [n, () => 5])), oi: same, callit: same, strcb: (f, x) => f(x, null, []), lcb: same, arr: same, sum: () => "x", nothing: same, thrice: same } });
assert.throws(() => wrongs.str_("a"), { kind: "TypeError", message: "str_: result: expected str, got 5" });
assert.throws(() => wrongs.bytes_(new Uint8Array(1)), { kind: "TypeError", message: "bytes_: result: expected bytes, got 5" });
assert.throws(() => wrongs.ostr("a"), { kind: "TypeError", message: "ostr: result: expected optional[str], got 5" });
assert.throws(() => wrongs.li([1]), { kind: "TypeError", message: "li: result: expected list[i32], got 5" });
assert.throws(() => wrongs.sum(new Float32Array(1)), { kind: "TypeError", message: 'sum: result: expected f64, got "x"' });
assert.throws(() => wrongs.strcb(() => 5, "z"), { kind: "TypeError", message: "strcb: result: expected str, got 5" });
console.log("all is well");
