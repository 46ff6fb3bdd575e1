# armv7 Linux with hard floats and the distribution's cross compiler (Debian: gcc-arm-linux-gnueabihf,
# libc6-dev-armhf-cross). Programs run in qemu's user mode where that is installed (qemu-user or qemu-user-static), so that
# ctest works. There are no closures.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7)

set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)

set(CMAKE_FIND_ROOT_PATH /usr/arm-linux-gnueabihf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

find_program(JITFFI_EMULATOR NAMES qemu-arm qemu-arm-static)
if(JITFFI_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${JITFFI_EMULATOR} -L /usr/arm-linux-gnueabihf)
endif()
