// JavaScript on both sides of emitted code: functions of JavaScript are called with the types of their signatures, through
// packed functions that check what they are given. functions.mjs is made from text.sigs, with the runtime for WebAssembly
// and a C library in the module, in a folder that has a copy of this one's files:
//
//   cmake -S runtime_c -B build -DCMAKE_TOOLCHAIN_FILE=$PWD/runtime_c/cmake/toolchains/wasm32-wasi.cmake
//   cmake --build build
//   jitffi emit @text.sigs -o text.wasm --js functions.mjs --link build/libjitffi_runtime.a \
//     --link /usr/lib/wasm32-wasi/libc.a --link "$(clang --target=wasm32-wasi -print-libgcc-file-name)"
//   node text.mjs
import { JitffiError, instantiate } from "./functions.mjs";

// What emitted code calls: C functions of the signatures' types, here in JavaScript.
const callees = {
  scale: (x, by) => x * by,
  shout(text, marks) {
    if (marks > 100n) throw new JitffiError("ValueError", `${marks} marks are too many`);
    return text.toUpperCase() + "!".repeat(Number(marks));
  },
  apply: (f, x) => f(x) + 1n,
};
const functions = await instantiate({ callees });

export const said = [];
function show(name, ...values) {
  try {
    const result = functions[name](...values);
    said.push(`${name} ${result}`);
  } catch (error) {
    said.push(`${error.name}: ${error.message}`);
  }
}

show("scale", 1.5, -128);
show("scale", 3, true);
show("shout", "grüße");
show("shout", "a longer text", 3);
show("apply", (x) => x * x, 2n ** 31n);
show("scale", 1.5, 128);
show("scale", "1.5", 1);
show("shout", "no", 101);
show("shout");
show("apply", 5n, 1n);
show("apply", () => { throw new RangeError("of JavaScript, through native code"); }, 1);
console.log(said.join("\n"));
