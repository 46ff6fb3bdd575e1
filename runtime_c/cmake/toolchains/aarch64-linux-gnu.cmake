# aarch64 Linux with the distribution's cross compiler (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross). Programs run in
# qemu's user mode where that is installed (qemu-user or qemu-user-static), so that ctest works.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

find_program(JITFFI_EMULATOR NAMES qemu-aarch64 qemu-aarch64-static)
if(JITFFI_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${JITFFI_EMULATOR} -L /usr/aarch64-linux-gnu)
endif()
