# wasm32 with clang and wasi-libc (Debian: clang, lld, wasi-libc, libclang-rt-dev-wasm32). Programs run in Node where that is
# installed, so that ctest works. There are no threads, shared libraries or closures.
set(CMAKE_SYSTEM_NAME Generic) # CMake knows WASI by name from 3.31 only
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .wasm)

set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)

# With a WASI SDK: its share/wasi-sysroot.
if(WASI_SYSROOT)
  set(CMAKE_SYSROOT ${WASI_SYSROOT})
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WASI_SYSROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

find_program(JITFFI_NODE NAMES node nodejs)
if(JITFFI_NODE)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${JITFFI_NODE} --no-warnings ${CMAKE_CURRENT_LIST_DIR}/run-wasi.mjs)
endif()
