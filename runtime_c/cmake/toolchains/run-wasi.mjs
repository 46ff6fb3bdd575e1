// node run-wasi.mjs PROGRAM.wasm [ARGUMENT...]: runs a WASI command that reads nothing but its arguments and prints; its
// exit code becomes node's. Not with node:wasi, some versions of which crash when the garbage collector runs.
import { readFileSync, writeSync } from "node:fs";

const SUCCESS = 0, BADF = 8, NOSYS = 52;

class Exit {
  constructor(code) {
    this.code = code;
  }
}

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
let memory;
const words = () => new DataView(memory.buffer);

// A list of texts as WASI gives them: how many and how long, then addresses and texts with a NUL behind each.
function texts(list) {
  const bytes = list.map((text) => Buffer.from(text + "\0"));
  const sizes = (count, size) => {
    words().setUint32(count, bytes.length, true);
    words().setUint32(size, bytes.reduce((sum, one) => sum + one.length, 0), true);
    return SUCCESS;
  };
  const get = (addresses, at) => {
    bytes.forEach((one, i) => {
      words().setUint32(addresses + 4 * i, at, true);
      new Uint8Array(memory.buffer).set(one, at);
      at += one.length;
    });
    return SUCCESS;
  };
  return [sizes, get];
}

const [args_sizes_get, args_get] = texts(process.argv.slice(2));
const [environ_sizes_get, environ_get] = texts([]);
const known = {
  args_sizes_get, args_get, environ_sizes_get, environ_get,
  fd_write(fd, pieces, count, written) {
    if (fd !== 1 && fd !== 2) return BADF;
    let total = 0;
    for (let i = 0; i < count; i++) {
      const [at, size] = [words().getUint32(pieces + 8 * i, true), words().getUint32(pieces + 8 * i + 4, true)];
      for (let done = 0; done < size;) done += writeSync(fd, new Uint8Array(memory.buffer, at + done, size - done));
      total += size;
    }
    words().setUint32(written, total, true);
    return SUCCESS;
  },
  proc_exit(code) {
    throw new Exit(code);
  },
};

const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
  imports[from] ??= {};
  imports[from][name] = known[name] ?? (() => (name.startsWith("fd_") ? BADF : NOSYS));
}
const { exports } = new WebAssembly.Instance(module, imports);
memory = exports.memory;
try {
  exports._start();
} catch (error) {
  if (!(error instanceof Exit)) throw error;
  process.exitCode = error.code;
}
