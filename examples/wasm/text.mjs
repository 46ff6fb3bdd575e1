// JavaScript on both sides of emitted code: functions of JavaScript are called with the types of their signatures, through
// packed functions that check what they are given. With the runtime for WebAssembly and a C library in the module:
//
//   cmake -S runtime_c -B build -DCMAKE_TOOLCHAIN_FILE=$PWD/runtime_c/cmake/toolchains/wasm32-wasi.cmake
//   cmake --build build
//   jitffi emit @examples/wasm/text.sigs -o text.wasm --link build/libjitffi_runtime.a --link /usr/lib/wasm32-wasi/libc.a \
//     --link=--export=jf_alloc --link=--export=jf_free --link=--export=jf_out_str --link=--export=jf_error_set \
//     --link=--export=jf_error_take --link=--export=jf_object_release --link=--export=jf_any_release
//   node examples/wasm/text.mjs text.wasm
import { readFileSync } from "node:fs";

const NULL = -1, INT = -2, FLOAT = -3, BOOL = -4, HANDLE = -5, OBJECT = -11, SMALL_STR = -13, STR_VIEW = -17;
const SLOT = 16;

// -- what emitted code calls: C functions of the signatures' types, here in JavaScript ---------------------------------

const env = {
  scale: (x, by) => x * by,
  shout(data, size, marks, out) {
    if (marks > 100n) return fail("ValueError", `${marks} marks are too many`);
    const loud = text(data, size).toUpperCase() + "!".repeat(Number(marks));
    return withText(loud, (at, bytes) => c.jf_out_str(out, at, bytes));
  },
  apply: (f, x) => c.__indirect_function_table.get(f)(x) + 1n,
};

const { exports: c } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(process.argv[2])), { env });
const memory = () => new DataView(c.memory.buffer);

function text(data, size) {
  return new TextDecoder().decode(new Uint8Array(c.memory.buffer, data, size));
}

function withText(string, use) {
  const bytes = new TextEncoder().encode(string + "\0");
  const at = c.jf_alloc(bytes.length);
  new Uint8Array(c.memory.buffer).set(bytes, at);
  try {
    return use(at, bytes.length - 1);
  } finally {
    c.jf_free(at);
  }
}

function fail(kind, message) {
  withText(kind, (k) => withText(message, (m) => c.jf_error_set(k, m)));
  return -1;
}

// -- calling emitted code: slots (ABI, section 1) ----------------------------------------------------------------------

// A function of JavaScript as a C function pointer of type (i64) -> i64: what a table takes is a function of a module.
function pointer(f) {
  const bytes = [
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,     // a module, version 1, of three sections:
    1, 6, 1, 0x60, 1, 0x7e, 1, 0x7e,     // types: a function from i64 to i64
    2, 7, 1, 1, 0x65, 1, 0x66, 0, 0,     // imports: e.f, a function of type 0
    7, 5, 1, 1, 0x66, 0, 0,              // exports: f, function 0
  ];
  const module = new WebAssembly.Module(new Uint8Array(bytes));
  return c.__indirect_function_table.grow(1, new WebAssembly.Instance(module, { e: { f } }).exports.f);
}

function put(slot, code, write = () => {}) {
  memory().setBigInt64(slot + 8, 0n, true);
  memory().setInt32(slot, code, true);
  memory().setInt32(slot + 4, 0, true);
  write(memory());
}

// Writes a value into a slot; calls `next` while what the slot points at is there.
function pack(slot, value, next) {
  if (typeof value === "string") {
    return withText(value, (data, size) => {
      const span = c.jf_alloc(8);
      memory().setUint32(span, data, true);
      memory().setUint32(span + 4, size, true);
      put(slot, STR_VIEW, (m) => m.setUint32(slot + 8, span, true));
      try {
        return next();
      } finally {
        c.jf_free(span);
      }
    });
  }
  if (typeof value === "bigint") put(slot, INT, (m) => m.setBigInt64(slot + 8, value, true));
  else if (typeof value === "number") put(slot, FLOAT, (m) => m.setFloat64(slot + 8, value, true));
  else if (typeof value === "boolean") put(slot, BOOL, (m) => m.setInt32(slot + 8, value, true));
  else if (typeof value === "function") put(slot, HANDLE, (m) => m.setUint32(slot + 8, pointer(value), true));
  else put(slot, NULL);
  return next();
}

// A str object: data at 16, size at 24.
function heapText(object) {
  return text(memory().getUint32(object + 16, true), memory().getUint32(object + 24, true));
}

function unpack(slot) {
  const code = memory().getInt32(slot, true);
  if (code === SMALL_STR) return text(slot + 8, memory().getInt32(slot + 4, true));
  if (code === OBJECT) return heapText(memory().getUint32(slot + 8, true));
  if (code === FLOAT) return memory().getFloat64(slot + 8, true);
  return { [NULL]: () => null, [BOOL]: (v) => v !== 0n, [INT]: (v) => v }[code](memory().getBigInt64(slot + 8, true));
}

function takeError() {
  const error = c.jf_error_take();
  const [kind, message] = [16, 24].map((at) => heapText(memory().getUint32(error + at, true)));
  c.jf_object_release(error);
  return Object.assign(new Error(message), { name: kind });
}

function call(name, ...values) {
  const slots = c.jf_alloc((values.length + 1) * SLOT);
  const out = slots + values.length * SLOT;
  const enter = (i) => {
    if (i < values.length) return pack(slots + i * SLOT, values[i], () => enter(i + 1));
    put(out, NULL);
    if (c[`__jf_${name}`](0, values.length, slots, out) !== 0) throw takeError();
    const result = unpack(out);
    c.jf_any_release(out);
    return result;
  };
  try {
    return enter(0);
  } finally {
    c.jf_free(slots);
  }
}

function show(name, ...values) {
  try {
    console.log(name, call(name, ...values));
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}

show("scale", 1.5, -128n);
show("scale", 3n, true);
show("shout", "grüße");
show("shout", "a longer text", 3n);
show("apply", (x) => x * x, 2n ** 31n);
show("scale", 1.5, 128n);
show("scale", "1.5", 1n);
show("shout", "no", 101n);
show("shout");
show("apply", 5n, 1n);
