// -- errors and handles ------------------------------------------------------------------------------------------------

/** A failure of native code: `kind` is the name of a Python exception, `traceback` where it came from, or "". */
export class JitffiError extends Error {
  constructor(kind, message, traceback = "") {
    super(message);
    this.name = this.kind = kind;
    this.traceback = traceback;
  }
}

const registry = new FinalizationRegistry(({ c, object }) => c.jf_object_release(object));

/** A native object that JavaScript holds a reference to, until release() or the garbage collector gives it up. */
export class NativeObject {
  constructor(native, object) {
    this.native = native;
    this.object = object;
    registry.register(this, { c: native.c, object }, this);
  }
  /** Its address; an error where it was released. */
  get address() {
    if (this.object === 0) throw new JitffiError("ValueError", "the object was released");
    return this.object;
  }
  release() {
    if (this.object === 0) return;
    registry.unregister(this);
    const object = this.object;
    this.object = 0;
    this.native.c.jf_object_release(object);
  }
}

/** An array in the module's memory: `data` is a typed array on it, and no copy. */
export class NDArray extends NativeObject {
  get tensor() {
    return this.address + 16;
  }
  get shape() {
    return this.native.tensorAt(this.tensor).shape;
  }
  get dtype() {
    return this.native.tensorAt(this.tensor).dtype;
  }
  /** Of this moment: when the module's memory grows JavaScript detaches it, so ask again after each call. */
  get data() {
    return this.native.tensorAt(this.tensor).data;
  }
}

// -- what slots and objects look like (ABI, sections 1 to 3) -------------------------------------------------------------

const NULL = -1, INT = -2, FLOAT = -3, BOOL = -4, HANDLE = -5, DTYPE = -6, DEVICE = -7, DLTENSOR = -8, RAW_STR = -9;
const BYTE_ARRAY = -10, OBJECT = -11, SMALL_STR = -13, SMALL_UCS4 = -14, SMALL_BYTES = -15, ANY_PTR = -16;
const STR_VIEW = -17, UINT = -18, UCS4_VIEW = -19;
const FUNCTION = 2, ND_ARRAY = 3, STR = 33, UCS4 = 34, BYTES = 35, LIST = 36, MAP = 37, TUPLE = 38, ERROR = 39, SHAPE = 40;
const SLOT = 16, TENSOR = 40, SCRATCH = 1 << 15;

// Elements: DLPack's code and bits, and the typed array of them.
const DTYPES = {
  i8: [0, 8, Int8Array], i16: [0, 16, Int16Array], i32: [0, 32, Int32Array], i64: [0, 64, BigInt64Array],
  u8: [1, 8, Uint8Array], u16: [1, 16, Uint16Array], u32: [1, 32, Uint32Array], u64: [1, 64, BigUint64Array],
  f16: [2, 16, Uint16Array], f32: [2, 32, Float32Array], f64: [2, 64, Float64Array],
  bf16: [4, 16, Uint16Array], bool: [6, 8, Uint8Array],
};
const NAMES = new Map(Object.entries(DTYPES).map(([name, [code, bits]]) => [code << 8 | bits, name]));
// By the name of the built-in class, which subclasses, as Node's Buffer, and arrays of other realms have, too.
const ELEMENTS = new Map(Object.entries(DTYPES).reverse().map(([name, [, , array]]) => [array.name, name]));
ELEMENTS.set("Uint8Array", "u8").set("Uint16Array", "u16").set("Uint8ClampedArray", "u8");
const arrayName = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const elementOf = (array) => ELEMENTS.get(arrayName.call(array));

const SMALL_INTS = new Set(["i8", "i16", "i32", "u8", "u16", "u32"]);
const WIDE_INTS = new Set(["i64", "u64"]);
const FLOATS = new Set(["f16", "bf16", "f32", "f64"]);
// How one C parameter of each type is passed: i and I are integers of 32 and 64 bits, f and d floats.
const C_FORMS = {
  bool: "i", i8: "i", i16: "i", i32: "i", u8: "i", u16: "i", u32: "i", i64: "I", u64: "I", f32: "f", f64: "d", ptr: "i",
  cstr: "i", str: "ii", bytes: "ii", ucs4: "ii", any: "i", union: "i", null: "i", object: "i", list: "i", map: "i",
  tuple: "i", shape: "i", ndarray: "i", error: "i", module: "i", func: "i", array: "i",
};
const IN_OUT = new Set(["str", "bytes", "ucs4", "any", "union", "null"]);
const WASM_TYPES = { i: 0x7f, I: 0x7e, f: 0x7d, d: 0x7c };

const head = (type) => (typeof type === "string" ? type : type[0]);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function shown(value) {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function mismatch(expected, value) {
  return new JitffiError("TypeError", `expected ${expected}, got ${shown(value)}`);
}

// The dimensions of a typed array, which has so many elements.
function shapeOf(array, given) {
  const shape = [...(given ?? [array.length])].map(Number);
  if (shape.every((dim) => Number.isInteger(dim) && dim >= 0) && shape.reduce((product, dim) => product * dim, 1) === array.length) {
    return shape;
  }
  throw new JitffiError("ValueError", `an array of ${array.length} elements has no shape [${shape}]`);
}

// Which of a union's types a value is of, as far as it is written in another way than by itself.
function member(type, value) {
  const of = (...kinds) => type.slice(1).find((each) => kinds.includes(head(each))) ?? "any";
  if (typeof value === "number") {
    const float = of(...FLOATS);
    return Number.isInteger(value) && float === "any" ? of(...SMALL_INTS, ...WIDE_INTS) : float;
  }
  if (typeof value === "function") return of("func");
  if (typeof value !== "object" || value === null) return "any";
  if (ArrayBuffer.isView(value)) return of("array", "ndarray", "bytes");
  if (value instanceof Error) return of("error");
  if (value instanceof ArrayBuffer) return of("bytes");
  return value instanceof Map ? of("map") : of(...(Array.isArray(value) ? ["list", "tuple", "shape"] : ["map", "array", "ndarray"]));
}

// C's parameters and result of a function; JitffiError where JavaScript cannot be it.
function cForm(name, sig) {
  const refuse = (type) => new JitffiError("TypeError", `${name}: JavaScript cannot pass or take ${text(type)} as C does`);
  const params = sig.params.map(([, type]) => {
    if (head(type) === "optional") {
      const inner = head(type[1]);
      if (!C_FORMS[inner]) throw refuse(type);
      return C_FORMS[inner] === "ii" ? "ii" : "i";
    }
    if (!C_FORMS[head(type)] || type[2] === "pointer") throw refuse(type);
    return C_FORMS[head(type)];
  });
  const result = head(sig.result), inner = result === "optional" ? head(sig.result[1]) : result;
  if (result === "void") return { params: params.join(""), result: "" };
  if (!C_FORMS[inner]) throw refuse(sig.result);
  const out = IN_OUT.has(inner) || (result === "optional" && !["i"].includes(C_FORMS[inner]));
  const isScalar = SMALL_INTS.has(inner) || inner === "bool";
  if (out || (result === "optional" && isScalar)) return { params: `${params.join("")}i`, result: "i", out: true };
  return { params: params.join(""), result: C_FORMS[inner] };
}

function text(type) {
  if (typeof type === "string") return type;
  const parts = type.slice(1).filter((part) => typeof part === "string" || Array.isArray(part)).map(text);
  if (type[0] === "union") return parts.join(" | ");
  return parts.length ? `${type[0]}[${parts.join(", ")}]` : type[0];
}

// A WebAssembly function that calls one of JavaScript, which alone can stand in a table: a module that hands its import on.
function wasmFunction(form, call) {
  const types = (letters) => [letters.length, ...[...letters].map((letter) => WASM_TYPES[letter])];
  const type = [1, 0x60, ...types(form.params), ...types(form.result)];
  const bytes = [
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,  // a module, version 1, of three sections:
    1, type.length, ...type,          // one type;
    2, 7, 1, 1, 0x65, 1, 0x66, 0, 0,  // an import, e.f, of that type;
    7, 5, 1, 1, 0x66, 0, 0,           // exports: f, function 0
  ];
  return new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)), { e: { f: call } }).exports.f;
}

// What one call needs until it is over: slots and text in the module's memory, references, callbacks, arrays to copy back.
class Frame {
  constructor(native) {
    this.native = native;
    this.top = native.top;
    this.after = null;
  }
  // So many bytes, aligned to 8.
  room(size) {
    const native = this.native, at = native.top;
    if (at + size <= native.end) {
      native.top = at + ((size + 7) & ~7);
      return at;
    }
    const made = native.allocate(size);
    this.finally(() => native.c.jf_free(made));
    return made;
  }
  finally(action) {
    (this.after ??= []).push(action);
  }
  owned(object) {
    if (object === 0) throw this.native.takeError();
    this.finally(() => this.native.c.jf_object_release(object));
    return object;
  }
  leave() {
    if (this.after !== null) for (let i = this.after.length; i-- > 0;) this.after[i]();
    this.native.top = this.top;
  }
}

// -- one instance of a module --------------------------------------------------------------------------------------------

class Native {
  constructor(signatures) {
    this.signatures = signatures;
    this.functions = new Map();  // of JavaScript that native code holds, by number
    this.kept = new Map();       // callbacks that outlive calls: function -> type's text -> index in the table
    this.free = new Map();       // callbacks' places in the table that nobody uses, by form
    this.origin = new Map();     // index in the table -> the function of JavaScript there
    this.number = 0;
    this.thrown = null;          // the exception of JavaScript that became the last error
  }

  start(exports) {
    const missing = ["jf_alloc", "jf_any_release", "jf_error_take"].filter((name) => !exports[name]);
    if (missing.length) throw new JitffiError("ImportError", `the module has no ${missing[0]}: it was emitted without --js`);
    this.c = exports;
    this.view = new DataView(exports.memory.buffer);
    this.bytes = new Uint8Array(exports.memory.buffer);
    this.end = (this.top = this.allocate(SCRATCH)) + SCRATCH;
  }

  // Views of the memory as it is now: growing detaches those that there are.
  get m() {
    if (this.view.buffer !== this.c.memory.buffer) {
      this.view = new DataView(this.c.memory.buffer);
      this.bytes = new Uint8Array(this.c.memory.buffer);
    }
    return this.view;
  }
  get u8() {
    return this.m && this.bytes;
  }

  allocate(size) {
    const at = this.c.jf_alloc(size);
    if (at === 0) throw new JitffiError("MemoryError", `no ${size} bytes in the module's memory`);
    return at;
  }

  // -- text

  utf8(data, size) {
    return decoder.decode(this.u8.subarray(data, data + size));
  }
  cString(data) {
    return this.utf8(data, this.u8.indexOf(0, data) - data);
  }
  ucs4(data, size) {
    let found = "";
    for (let i = 0; i < size; i++) found += String.fromCodePoint(this.m.getUint32(data + 4 * i, true));
    return found;
  }
  textOf(object) {
    return this.utf8(this.m.getUint32(object + 16, true), this.m.getUint32(object + 24, true));
  }
  // Address and size of text in the module's memory, for the frame's time, with a NUL behind it.
  encode(frame, string) {
    const at = frame.room(string.length * 3 + 1);
    const { written } = encoder.encodeInto(string, this.u8.subarray(at, at + string.length * 3));
    this.bytes[at + written] = 0;
    return [at, written];
  }
  copied(frame, array) {
    const from = new Uint8Array(array.buffer ?? array, array.byteOffset ?? 0, array.byteLength);
    if (from.buffer === this.c.memory.buffer) return [from.byteOffset, from.length];
    const at = frame.room(from.length + 1);
    this.u8.set(from, at);
    this.bytes[at + from.length] = 0;
    return [at, from.length];
  }

  // -- values into slots

  put(slot, code, payload) {
    const m = this.m;
    m.setInt32(slot, code, true);
    m.setInt32(slot + 4, 0, true);
    m.setBigInt64(slot + 8, payload, true);
  }
  putSpan(frame, slot, code, [data, size]) {
    const span = frame.room(8);
    this.m.setUint32(span, data, true);
    this.m.setUint32(span + 4, size, true);
    this.put(slot, code, BigInt(span));
  }
  putInt(slot, value) {
    if (value >= 1n << 63n && value < 1n << 64n) this.put(slot, UINT, value);
    else if (BigInt.asIntN(64, value) === value) this.put(slot, INT, value);
    else throw new JitffiError("OverflowError", `${value}n does not fit 64 bits`);
  }
  putObject(slot, object) {
    const code = this.m.getInt32(object, true);
    this.put(slot, code <= 3 ? code : OBJECT, BigInt(object));
  }

  // What the types of JavaScript's values leave open is decided by the signature's type; native code checks it.
  write(frame, slot, type, value) {
    const kind = head(type);
    if (kind === "union") return this.write(frame, slot, member(type, value), value);
    if (kind === "optional") return this.write(frame, slot, value === null || value === undefined ? "null" : type[1], value);
    switch (typeof value) {
      case "number":
        if (kind === "ptr") return this.put(slot, value === 0 ? NULL : HANDLE, BigInt(value));
        if ((SMALL_INTS.has(kind) || WIDE_INTS.has(kind)) && Number.isInteger(value)) {
          if (!Number.isSafeInteger(value)) throw mismatch(`${kind}, beyond 2**53 as a bigint`, value);
          return this.put(slot, INT, BigInt(value));
        }
        this.put(slot, FLOAT, 0n);
        return this.m.setFloat64(slot + 8, value, true);
      case "bigint":
        return this.putInt(slot, value);
      case "boolean":
        return this.put(slot, BOOL, value ? 1n : 0n);
      case "string":
        if (kind === "array" || kind === "func") throw mismatch(text(type), value);
        return this.putSpan(frame, slot, STR_VIEW, this.encode(frame, value));
      case "function":
        if (kind === "func" && type.length > 1) return this.put(slot, HANDLE, BigInt(this.callback(frame, type[1], value)));
        return this.putObject(slot, frame.owned(this.functionObject(value)));
      case "undefined":
        return this.put(slot, NULL, 0n);
      case "object":
        if (value === null) return this.put(slot, NULL, 0n);
        return this.writeObject(frame, slot, type, value);
    }
    throw mismatch(text(type), value);
  }

  writeObject(frame, slot, type, value) {
    const kind = head(type);
    if (value instanceof NativeObject) {
      if (value.native !== this) throw new JitffiError("ValueError", "the object is another module's");
      return this.putObject(slot, value.address);
    }
    const isArray = ArrayBuffer.isView(value) && !(value instanceof DataView);
    if (kind === "ndarray") return this.putObject(slot, this.heldArray(frame, undefined, value).address);
    if (kind === "array" || (isArray && kind !== "bytes" && !(value instanceof Uint8Array) && kind !== "list")) {
      return this.put(slot, DLTENSOR, BigInt(this.tensor(frame, type[1], value)));
    }
    if (kind === "dtype" || kind === "device") return this.writeName(slot, kind, value);
    if ((isArray && kind !== "list") || value instanceof ArrayBuffer) {
      return this.putSpan(frame, slot, BYTE_ARRAY, this.copied(frame, value));
    }
    if (value instanceof JitffiError || value instanceof Error) return this.putObject(slot, this.errorObject(frame, value));
    if (kind === "shape") return this.putObject(slot, this.shape(frame, value));
    if (value instanceof Map) return this.putObject(slot, this.map(frame, type, value.entries()));
    if (typeof value[Symbol.iterator] === "function") return this.putObject(slot, this.list(frame, type, value));
    if ([Object.prototype, null].includes(Object.getPrototypeOf(value))) {
      return this.putObject(slot, this.map(frame, type, Object.entries(value)));
    }
    throw mismatch(text(type), value);
  }

  writeName(slot, kind, value) {
    this.put(slot, kind === "dtype" ? DTYPE : DEVICE, 0n);
    if (kind === "device") {
      this.m.setInt32(slot + 8, value.type, true);
      this.m.setInt32(slot + 12, value.id, true);
    } else {
      this.m.setUint32(slot + 8, value.code | value.bits << 8 | (value.lanes ?? 1) << 16, true);
    }
  }

  list(frame, type, values) {
    const list = frame.owned(this.c.jf_list_new(values.length ?? 0, -1));
    const isTuple = head(type) === "tuple";
    let i = 0;
    for (const value of values) {
      const item = isTuple ? type[1 + i++] ?? "any" : type[1] ?? "any";
      this.scoped((inner) => {
        const slot = inner.room(SLOT);
        this.write(inner, slot, head(type) === "list" || isTuple ? item : "any", value);
        if (this.c.jf_list_append(list, slot) !== 0) throw this.takeError();
      });
    }
    return isTuple ? frame.owned(this.c.jf_tuple_of(list)) : list;
  }
  map(frame, type, entries) {
    const map = frame.owned(this.c.jf_map_new(0, -1));
    const [keys, values] = head(type) === "map" ? [type[1] ?? "any", type[2] ?? "any"] : ["any", "any"];
    for (const [key, value] of entries) {
      this.scoped((inner) => {
        const slots = inner.room(2 * SLOT);
        this.write(inner, slots, keys, key);
        this.write(inner, slots + SLOT, values, value);
        if (this.c.jf_map_set(map, slots, slots + SLOT) !== 0) throw this.takeError();
      });
    }
    return map;
  }
  shape(frame, values) {
    const dims = [...values];
    const at = frame.room(8 * dims.length);
    dims.forEach((dim, i) => this.m.setBigInt64(at + 8 * i, BigInt(dim), true));
    return frame.owned(this.c.jf_shape_new(at, dims.length));
  }

  // -- arrays

  // A DLTensor on a typed array, or on {data, shape}: where the memory is the module's own without a copy; else what native
  // code has written is copied back after the call.
  tensor(frame, element, value) {
    const array = ArrayBuffer.isView(value) ? value : value.data;
    let name = elementOf(array);
    if (!name) throw mismatch(`array of ${element ?? "numbers"}`, value);
    if (element && DTYPES[element] && DTYPES[element][2] === DTYPES[name][2]) name = element;
    const [code, bits] = DTYPES[name];
    const shape = shapeOf(array, value.shape);
    let data = array.byteOffset;
    if (array.buffer !== this.c.memory.buffer) {
      const room = frame.room(array.byteLength + 64);
      data = (room + 63) & ~63;
      const size = array.byteLength;
      const bytes = new Uint8Array(array.buffer, array.byteOffset, size);
      this.u8.set(bytes, data);
      frame.finally(() => bytes.set(this.u8.subarray(data, data + size)));
    }
    const at = frame.room(TENSOR + 8 * shape.length), m = this.m, dims = at + TENSOR;
    this.bytes.fill(0, at, dims);
    m.setUint32(at, data, true);
    m.setInt32(at + 4, 1, true);  // the CPU
    m.setInt32(at + 12, shape.length, true);
    m.setUint32(at + 16, code | bits << 8 | 1 << 16, true);
    m.setUint32(at + 20, dims, true);
    shape.forEach((dim, i) => m.setBigInt64(dims + 8 * i, BigInt(dim), true));
    return at;
  }
  // What a DLTensor says, with a typed array on its elements where they lie in C order.
  tensorAt(at) {
    const m = this.m, ndim = m.getInt32(at + 12, true), dims = m.getUint32(at + 20, true), steps = m.getUint32(at + 24, true);
    const shape = [], strides = [];
    for (let i = 0; i < ndim; i++) shape.push(Number(m.getBigInt64(dims + 8 * i, true)));
    for (let i = ndim, step = 1; i-- > 0; step *= shape[i]) {
      strides[i] = steps ? Number(m.getBigInt64(steps + 8 * i, true)) : step;
    }
    const type = m.getUint32(at + 16, true);
    const dtype = NAMES.get((type & 0xff) << 8 | (type >> 8 & 0xff));
    if (!dtype || type >>> 16 !== 1) throw new JitffiError("TypeError", "JavaScript has no array of these elements");
    const count = shape.reduce((product, dim) => product * dim, 1);
    let step = 1;
    for (let i = ndim; i-- > 0; step *= shape[i]) {
      if (count && shape[i] > 1 && strides[i] !== step) return { shape, strides, dtype, data: null };
    }
    const start = m.getUint32(at, true) + Number(m.getBigUint64(at + 32, true));
    return { shape, strides, dtype, data: new DTYPES[dtype][2](m.buffer, count ? start : 0, count) };
  }
  newArray(dtype, shape, values) {
    if (!DTYPES[dtype]) throw new JitffiError("ValueError", `unknown dtype ${shown(dtype)}`);
    const [code, bits] = DTYPES[dtype];
    return this.scoped((frame) => {
      const dims = [...(typeof shape === "number" ? [shape] : shape)];
      const at = frame.room(8 + 8 * dims.length);
      this.m.setUint32(at, code | bits << 8 | 1 << 16, true);
      dims.forEach((dim, i) => this.m.setBigInt64(at + 8 + 8 * i, BigInt(dim), true));
      const object = this.c.jf_ndarray_new(dims.length, at + 8, at, 0);
      if (object === 0) throw this.takeError();
      const made = new NDArray(this, object);
      if (values === undefined) made.data.fill(WIDE_INTS.has(dtype) ? 0n : 0);
      else made.data.set(values);
      return made;
    });
  }

  // -- slots into values; `type` decides between number and bigint

  read(slot, type) {
    const m = this.m, code = m.getInt32(slot, true), kind = head(type);
    if (kind === "optional" && code !== NULL) return this.read(slot, type[1]);
    switch (code) {
      case NULL: return null;
      case INT: return this.integer(m.getBigInt64(slot + 8, true), kind);
      case UINT: return m.getBigUint64(slot + 8, true);
      case FLOAT: return m.getFloat64(slot + 8, true);
      case BOOL: return m.getInt32(slot + 8, true) !== 0;
      case HANDLE: return m.getUint32(slot + 8, true);
      case SMALL_STR: return this.utf8(slot + 8, m.getInt32(slot + 4, true));
      case SMALL_UCS4: return this.ucs4(slot + 8, m.getInt32(slot + 4, true));
      case SMALL_BYTES: return this.u8.slice(slot + 8, slot + 8 + m.getInt32(slot + 4, true));
      case DTYPE: return { code: m.getUint8(slot + 8), bits: m.getUint8(slot + 9), lanes: m.getUint16(slot + 10, true) };
      case DEVICE: return { type: m.getInt32(slot + 8, true), id: m.getInt32(slot + 12, true) };
    }
    const at = m.getUint32(slot + 8, true);
    switch (code) {
      case ANY_PTR: return this.read(at, type);
      case RAW_STR: return this.cString(at);
      case DLTENSOR: return this.tensorAt(at);
      case STR_VIEW: return this.utf8(m.getUint32(at, true), m.getUint32(at + 4, true));
      case UCS4_VIEW: return this.ucs4(m.getUint32(at, true), m.getUint32(at + 4, true));
      case BYTE_ARRAY: return this.u8.slice(m.getUint32(at, true), m.getUint32(at, true) + m.getUint32(at + 4, true));
    }
    if (code === OBJECT || code > 0) return this.readObject(at, type);
    throw new JitffiError("TypeError", `JavaScript knows no value of code ${code}`);
  }
  integer(value, kind) {
    return SMALL_INTS.has(kind) || FLOATS.has(kind) ? Number(value) : value;
  }

  // A new value of JavaScript for a borrowed object: text and containers are copied, others are held.
  readObject(object, type) {
    const m = this.m, code = m.getInt32(object, true);
    const data = m.getUint32(object + 16, true), size = m.getUint32(object + 24, true);
    const items = head(type) === "tuple" || head(type) === "list" ? type : ["list"];
    switch (code) {
      case STR: return this.utf8(data, size);
      case UCS4: return this.ucs4(data, size);
      case BYTES: return this.u8.slice(data, data + size);
      case LIST:
      case TUPLE: {
        const found = new Array(size), isTuple = items[0] === "tuple";
        for (let i = 0; i < size; i++) found[i] = this.readItem(this.m.getUint32(data + 4 * i, true), items[isTuple ? 1 + i : 1] ?? "any");
        return found;
      }
      case MAP: {
        const found = new Map(), used = m.getUint32(object + 32, true);
        const [keys, values] = head(type) === "map" ? [type[1] ?? "any", type[2] ?? "any"] : ["any", "any"];
        for (let i = 0; i < used; i++) {
          const key = this.m.getUint32(data + 16 * i + 8, true);
          if (key) found.set(this.readItem(key, keys), this.readItem(this.m.getUint32(data + 16 * i + 12, true), values));
        }
        return found;
      }
      case SHAPE: return Array.from({ length: size }, (_, i) => Number(this.m.getBigInt64(data + 8 * i, true)));
      case ERROR: return this.readError(object);
    }
    if (code === FUNCTION) return this.readFunction(object);
    this.c.jf_object_retain(object);
    // What else has a DLTensor are the subtypes of nd-array, whose slots say so.
    return code === ND_ARRAY || head(type) === "array" ? new NDArray(this, object) : new NativeObject(this, object);
  }
  readItem(item, type) {
    return this.m.getInt32(item, true) < 0 ? this.read(item, type) : this.readObject(item, type);
  }

  // -- functions

  readFunction(object) {
    const call = this.m.getUint32(object + 16, true);
    if (call === this.trampoline) return this.functions.get(this.m.getUint32(object + 48, true));
    this.c.jf_object_retain(object);
    const held = new NativeObject(this, object);
    const made = (...values) => this.scoped((frame) => {
      const slots = frame.room((values.length + 1) * SLOT), out = slots + values.length * SLOT;
      values.forEach((value, i) => this.write(frame, slots + i * SLOT, "any", value));
      this.put(out, NULL, 0n);
      return this.finish(this.c.jf_function_call(held.address, values.length, slots, out), out, "any");
    });
    return Object.assign(made, { release: () => held.release() });
  }

  // A function object, new, of a function of JavaScript: native code calls it with any values.
  functionObject(f) {
    this.trampoline ??= this.enter({ params: "iiii", result: "i" }, (self, count, args, out) => this.failing(-1, false, () => {
      const values = [];
      for (let i = 0; i < count; i++) values.push(this.read(args + i * SLOT, "any"));
      const result = this.functions.get(this.m.getUint32(self + 48, true))(...values);
      this.putResult(out, "any", result);
      return 0;
    }));
    this.forget ??= this.enter({ params: "i", result: "" }, (number) => void this.functions.delete(number));
    this.functions.set(++this.number, f);
    const object = this.c.jf_function_new(this.trampoline, this.number, this.forget, 0);
    if (object === 0) throw this.takeError();
    return object;
  }

  // A place in the table for a function of WebAssembly.
  enter(form, call) {
    const table = this.c.__indirect_function_table;
    return table.grow(1, wasmFunction(form, call));
  }

  // The address of a C function that calls f, until the frame is left, or for ever where f is kept.
  callback(frame, sig, f) {
    const known = this.kept.get(f)?.get(sig);
    if (known !== undefined) return known;
    const form = cForm("a callback", sig), key = JSON.stringify(sig);
    const place = this.free.get(key)?.pop() ?? this.place(form, sig);
    place.call = f;
    this.origin.set(place.index, f);
    if (this.kept.has(f)) {
      this.kept.get(f).set(sig, place.index);
      return place.index;
    }
    frame.finally(() => {
      place.call = null;
      this.origin.delete(place.index);
      if (!this.free.has(key)) this.free.set(key, []);
      this.free.get(key).push(place);
    });
    return place.index;
  }
  place(form, sig) {
    const place = { call: null, index: 0 };
    place.index = this.enter(form, this.callee("a callback", form, sig, (...values) => {
      if (place.call !== null) return place.call(...values);
      throw new JitffiError("RuntimeError", "a callback was called after its call had ended: keep() it");
    }));
    return place;
  }

  // What C calls: parameters as C passes them become values, and what f returns becomes C's result.
  callee(name, form, sig, f) {
    return (...given) => this.failing(form.out ? -1 : form.result === "I" ? 0n : 0, !form.out && !this.isObject(sig.result), () => {
      if (this.c.jf_error_is_pending() !== 0) throw PENDING;
      let next = 0;
      const values = sig.params.map(([, type]) => {
        const number = C_FORMS[head(type) === "optional" ? head(type[1]) : head(type)].length;
        return this.fromC(type, given[next], given[(next += number) - 1]);
      });
      const result = f(...values);
      try {
        if (!form.out) return this.toResult(sig.result, result);
        this.putResult(given[next], sig.result, result);
        return 0;
      } catch (error) {
        throw error instanceof JitffiError ? new JitffiError(error.kind, `${name}: result: ${error.message}`) : error;
      }
    });
  }
  isObject(type) {
    return ["object", "list", "map", "tuple", "shape", "error", "module", "array", "ndarray"].includes(head(type));
  }

  // Runs what native code calls. Its exceptions become the last error, which waits where C has no way to fail.
  failing(failed, isPending, run) {
    try {
      return run();
    } catch (error) {
      if (error !== PENDING) {
        this.setError(error);
        if (isPending) this.c.jf_error_mark_pending();
      }
      return failed;
    }
  }

  fromC(type, given, size) {
    const kind = head(type);
    switch (kind) {
      case "optional": {
        if (given === 0) return null;
        const m = this.m, inner = head(type[1]);
        switch (inner) {
          case "bool": return m.getUint8(given) !== 0;
          case "i8": return m.getInt8(given);
          case "u8": return m.getUint8(given);
          case "i16": return m.getInt16(given, true);
          case "u16": return m.getUint16(given, true);
          case "i32": return m.getInt32(given, true);
          case "u32": return m.getUint32(given, true);
          case "i64": return m.getBigInt64(given, true);
          case "u64": return m.getBigUint64(given, true);
          case "f32": return m.getFloat32(given, true);
          case "f64": return m.getFloat64(given, true);
        }
        return this.fromC(type[1], given, size);
      }
      case "bool": return given !== 0;
      case "u32": case "ptr": return given >>> 0;
      case "u64": return BigInt.asUintN(64, given);
      case "cstr": return this.cString(given);
      case "str": return this.utf8(given, size);
      case "bytes": return this.u8.slice(given, given + size);
      case "ucs4": return this.ucs4(given, size);
      case "any": case "union": case "null": return this.read(given, type);
      case "func": return type.length > 1 ? this.cFunction(given, type[1]) : this.readFunction(given);
      case "array": return this.tensorAt(given);
    }
    return typeof given === "number" && C_FORMS[kind] === "i" && !SMALL_INTS.has(kind) ? this.readObject(given, type) : given;
  }

  // A C function by its address, as one of JavaScript.
  cFunction(index, sig) {
    const known = this.origin.get(index);
    if (known) return known;
    const form = cForm("a C function", sig);
    return (...values) => this.scoped((frame) => {
      const given = sig.params.flatMap(([, type], i) => this.toC(frame, type, values[i]));
      const out = form.out ? frame.room(SLOT) : 0;
      if (form.out) {
        this.put(out, NULL, 0n);
        given.push(out);
      }
      const result = this.c.__indirect_function_table.get(index)(...given);
      if (form.out) return this.finish(result, out, sig.result);
      if (this.c.jf_error_is_pending() !== 0) throw this.takeError();
      if (form.result === "") return undefined;
      if (!this.isObject(sig.result)) return this.fromC(sig.result, result, 0);
      return this.readObject(frame.owned(result), sig.result);
    });
  }
  toC(frame, type, value) {
    const kind = head(type) === "optional" ? head(type[1]) : head(type), form = C_FORMS[kind];
    if (head(type) === "optional") {
      if (value === null || value === undefined) return form === "ii" ? [0, 0] : [0];
      const isPlain = SMALL_INTS.has(kind) || WIDE_INTS.has(kind) || FLOATS.has(kind) || kind === "bool";
      if (!isPlain) return this.toC(frame, type[1], value);
      const at = frame.room(8), [number] = this.toC(frame, type[1], value);
      if (kind === "f32") this.m.setFloat32(at, number, true);
      else if (kind === "f64") this.m.setFloat64(at, number, true);
      else this.m.setBigInt64(at, BigInt(number), true);
      return [at];
    }
    if (kind === "str" || kind === "cstr") {
      if (typeof value !== "string") throw mismatch(kind, value);
      const [data, size] = this.encode(frame, value);
      return kind === "str" ? [data, size] : [data];
    }
    if (kind === "bytes") return this.copied(frame, value);
    if (form === "I") {
      const number = typeof value === "bigint" ? value : Number.isSafeInteger(value) ? BigInt(value) : undefined;
      if (number === undefined) throw mismatch(kind, value);
      if (number !== (kind === "i64" ? BigInt.asIntN(64, number) : BigInt.asUintN(64, number))) throw this.outside(kind, value);
      return [number];
    }
    if (form === "f" || form === "d") {
      if (typeof value !== "number" && typeof value !== "bigint") throw mismatch(kind, value);
      return [Number(value)];
    }
    if (kind === "bool") return [value ? 1 : 0];
    if (SMALL_INTS.has(kind)) {
      const number = Number(value), bits = Number(kind.slice(1)), low = kind[0] === "i" ? -(2 ** (bits - 1)) : 0;
      if (!Number.isInteger(number) || typeof value === "string") throw mismatch(kind, value);
      if (number < low || number >= low + 2 ** bits) throw this.outside(kind, value);
      return [number];
    }
    if (kind === "ptr") return [value === null ? 0 : Number(value)];
    if (kind === "func" && type.length > 1) return [typeof value === "function" ? this.callback(frame, type[1], value) : value];
    if (kind === "array") return [value instanceof NDArray ? value.tensor : this.tensor(frame, type[1], value)];
    const slot = frame.room(SLOT);
    this.write(frame, slot, type, value);
    if (IN_OUT.has(kind)) return [slot];
    const code = this.m.getInt32(slot, true);
    if (code !== OBJECT && code <= 0) throw mismatch(text(type), value);
    return [this.m.getUint32(slot + 8, true)];
  }
  outside(kind, value) {
    return new JitffiError("OverflowError", `expected ${kind}, got ${shown(value)}`);
  }

  // A result as C returns it, owned where it is an object.
  toResult(type, value) {
    const kind = head(type) === "optional" ? head(type[1]) : head(type);
    if (kind === "void") return undefined;
    if (kind === "cstr") {
      if (head(type) === "optional" && (value === null || value === undefined)) return 0;
      if (typeof value !== "string") throw mismatch("str", value);
      // C borrows it until the next such call.
      if (this.lent) this.c.jf_free(this.lent);
      const bytes = encoder.encode(`${value}\0`);
      this.lent = this.allocate(bytes.length);
      this.u8.set(bytes, this.lent);
      return this.lent;
    }
    if (kind === "func" && type.length > 1) {
      if (typeof value === "function" && !this.kept.has(value)) throw mismatch("a function that was given to keep()", value);
      return this.scoped((frame) => this.toC(frame, type, value)[0]);
    }
    return this.scoped((frame) => {
      if (!this.isObject(kind) && kind !== "func") return this.toC(frame, head(type) === "optional" ? type[1] : type, value)[0];
      if (head(type) === "optional" && (value === null || value === undefined)) return 0;
      const slot = frame.room(SLOT), out = frame.room(SLOT);
      this.write(frame, slot, type, kind === "array" && !(value instanceof NDArray) ? this.heldArray(frame, type[1], value) : value);
      this.put(out, NULL, 0n);
      if (this.c.jf_any_retain(slot, out) !== 0) throw this.takeError();
      const code = this.m.getInt32(out, true);
      if (code === OBJECT || code > 0) return this.m.getUint32(out + 8, true);
      throw mismatch(text(type), value);
    });
  }
  heldArray(frame, element, value) {
    const array = ArrayBuffer.isView(value) ? value : value.data;
    if (!elementOf(array)) throw mismatch(`array of ${element ?? "numbers"}`, value);
    const shape = shapeOf(array, value.shape);
    const made = this.newArray(element ?? elementOf(array), shape, array);
    frame.finally(() => made.release());
    return made;
  }
  putResult(out, type, value) {
    const isMissing = value === null || value === undefined, kind = head(type) === "optional" ? head(type[1]) : head(type);
    const isBinary = ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
    const isRight = { str: typeof value === "string", ucs4: typeof value === "string", bytes: isBinary, null: isMissing }[kind];
    if (isRight === false && !(isMissing && head(type) === "optional")) throw mismatch(text(type), value);
    const isArray = ArrayBuffer.isView(value) && !(value instanceof Uint8Array) && head(type) !== "bytes";
    this.scoped((frame) => {
      const slot = frame.room(SLOT);
      this.write(frame, slot, type, isArray ? this.heldArray(frame, undefined, value) : value);
      if (this.c.jf_any_retain(slot, out) !== 0) throw this.takeError();
    });
  }

  // -- errors

  setError(error) {
    this.scoped((frame) => {
      const kind = String(error?.kind ?? error?.name ?? "RuntimeError"), message = String(error?.message ?? error);
      this.c.jf_error_set(this.encode(frame, kind)[0], this.encode(frame, message)[0]);
      this.thrown = { error, kind, message };
    });
  }
  errorObject(frame, error) {
    const kind = this.encode(frame, String(error.kind ?? error.name))[0];
    return frame.owned(this.c.jf_error_new(kind, this.encode(frame, error.message)[0], 0, 0, 0));
  }
  readError(object) {
    const [kind, message, traceback] = [16, 24, 32].map((at) => {
      const part = this.m.getUint32(object + at, true);
      return part ? this.textOf(part) : "";
    });
    return new JitffiError(kind, message, traceback);
  }
  // The last error, as an exception: the one that JavaScript threw on the other side, where it was that.
  takeError() {
    const object = this.c.jf_error_take();
    if (object === 0) return new JitffiError("RuntimeError", "a packed function failed without setting an error");
    const found = this.readError(object), thrown = this.thrown;
    this.c.jf_object_release(object);
    this.thrown = null;
    return thrown && thrown.kind === found.kind && thrown.message === found.message ? thrown.error : found;
  }

  // -- calls

  scoped(run) {
    const frame = new Frame(this);
    try {
      return run(frame);
    } finally {
      frame.leave();
    }
  }
  finish(status, out, type) {
    if (status !== 0) throw this.takeError();
    try {
      return this.read(out, type);
    } finally {
      this.c.jf_any_release(out);
    }
  }
  entry(name, sig) {
    const packed = this.c[`__jf_${name}`], types = sig.params.map(([, type]) => type), size = types.length;
    const given = (...values) => {
      let count = values.length;
      while (count > 0 && values[count - 1] === undefined) count--;
      const frame = new Frame(this);
      try {
        const slots = frame.room((count + 1) * SLOT), out = slots + count * SLOT;
        for (let i = 0; i < count; i++) {
          const value = values[i] === undefined && i < size ? this.omitted(name, sig, i) : values[i];
          try {
            this.write(frame, slots + i * SLOT, types[i] ?? "any", value);
          } catch (error) {
            throw error instanceof JitffiError && i < size ? this.ofArgument(name, sig, i, error) : error;
          }
        }
        this.put(out, NULL, 0n);
        const result = this.finish(packed(0, count, slots, out), out, sig.result);
        return sig.result === "void" ? undefined : result;
      } finally {
        frame.leave();
      }
    };
    return Object.defineProperties(given, { name: { value: name }, length: { value: sig.required } });
  }
  omitted(name, sig, i) {
    if (sig.params[i].length > 2) return sig.params[i][2];
    if (head(sig.params[i][1]) === "optional") return null;
    throw this.ofArgument(name, sig, i, mismatch(text(sig.params[i][1]), undefined));
  }
  ofArgument(name, sig, i, error) {
    const param = sig.params[i][0] === null ? "" : ` '${sig.params[i][0]}'`;
    return new JitffiError(error.kind, `${name}: argument ${i + 1}${param}: ${error.message}`);
  }

  // What is there beside the functions.
  tools() {
    return {
      memory: this.c.memory,
      exports: this.c,
      array: (dtype, shape, values) => this.newArray(dtype, shape, values),
      hold: (value, type = "any") => this.scoped((frame) => {
        const slot = frame.room(SLOT), out = frame.room(SLOT);
        this.write(frame, slot, type, value);
        this.put(out, NULL, 0n);
        if (this.c.jf_any_retain(slot, out) !== 0) throw this.takeError();
        const code = this.m.getInt32(out, true);
        if (code === OBJECT || code > 0) return new NativeObject(this, this.m.getUint32(out + 8, true));
        throw mismatch("a list, a map or another object", value);
      }),
      keep: (f) => {
        if (typeof f !== "function") throw mismatch("a function", f);
        if (!this.kept.has(f)) this.kept.set(f, new Map());
        return f;
      },
      setGlobal: (name, f, override = false) => this.scoped((frame) => {
        const object = frame.owned(this.functionObject(f));
        if (this.c.jf_global_set(this.encode(frame, name)[0], object, override ? 1 : 0) !== 0) throw this.takeError();
      }),
      getGlobal: (name) => this.scoped((frame) => {
        const object = this.c.jf_global_get(this.encode(frame, name)[0]);
        return object === 0 ? null : this.readFunction(frame.owned(object));
      }),
    };
  }
}

const PENDING = Symbol("an earlier callback's error waits");

// What a C library asks of its system: text for the console, and nothing else.
function wasi(native) {
  return {
    fd_write(fd, pieces, count, written) {
      let said = "", total = 0;
      for (let i = 0; i < count; i++) {
        const [at, size] = [native.m.getUint32(pieces + 8 * i, true), native.m.getUint32(pieces + 8 * i + 4, true)];
        said += native.utf8(at, size);
        total += size;
      }
      (fd === 2 ? console.error : console.log)(said.replace(/\n$/, ""));
      native.m.setUint32(written, total, true);
      return 0;
    },
    proc_exit(code) {
      throw new JitffiError("SystemExit", `native code has ended with ${code}`);
    },
  };
}

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  let given = await source;
  if (typeof given === "string" || given instanceof URL) {
    const url = new URL(given, import.meta.url);
    if (url.protocol === "file:" && typeof process !== "undefined") {
      return WebAssembly.compile(await (await import("node:fs/promises")).readFile(url));
    }
    given = await fetch(url);
  }
  if (!given.ok) throw new JitffiError("OSError", `${given.url}: ${given.status} ${given.statusText}`);
  return WebAssembly.compile(await given.arrayBuffer());
}

/** Loads the module and returns its functions; `$` has what is there beside them. */
export async function instantiate({ source = new URL(FILE, import.meta.url), callees = {}, imports = {} } = {}) {
  const module = await compiled(source), native = new Native(SIGNATURES), env = { ...imports.env }, missing = [];
  const others = { wasi_snapshot_preview1: wasi(native), ...imports, env };
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    others[from] ??= {};
    if (others[from][name] !== undefined || kind !== "function") continue;
    const called = from === "env" ? CALLEES[name] : undefined, f = called && callees[called];
    if (f) env[name] = native.callee(called, cForm(called, SIGNATURES[called]), SIGNATURES[called], f);
    else if (from === "wasi_snapshot_preview1") others[from] = { ...others[from], [name]: () => 52 };  // no such call
    else missing.push(called ? `callees.${called}` : `imports.${from}.${name}`);
  }
  if (missing.length) throw new JitffiError("ImportError", `the module needs what is not given: ${missing.join(", ")}`);
  native.start((await WebAssembly.instantiate(module, others)).exports);
  const functions = Object.entries(SIGNATURES).map(([name, sig]) => [name, native.entry(name, sig)]);
  return { ...Object.fromEntries(functions), $: native.tools() };
}
