# The library of compiled scripts: text with the tables of Unicode, operations on slots. Beside the runtime, which it needs;
# no Python in it, but the tables are written by an interpreter when it is built: the one that the extension is built for,
# else whichever there is. Without any there is no such library.
if(JITFFI_PYTHON)
  find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
  include(CheckSymbolExists)
  set(CMAKE_REQUIRED_INCLUDES ${Python_INCLUDE_DIRS})
  check_symbol_exists(Py_GIL_DISABLED pyconfig.h is_free_threaded)
  unset(CMAKE_REQUIRED_INCLUDES)
  if(is_free_threaded)
    message(FATAL_ERROR "jitffi: CPython ${Python_VERSION} here is the free-threaded build, and jitffi needs the GIL: "
                        "use the other build")
  endif()
  if(SKBUILD_SOABI) # the suffix of modules there, when the interpreter here builds for another machine
    set(Python_SOABI ${SKBUILD_SOABI})
  endif()
else()
  find_package(Python 3.11 COMPONENTS Interpreter)
endif()
set(script_libraries)
if(NOT Python_Interpreter_FOUND)
  message(STATUS "jitffi: no Python to write the tables of Unicode: jitffi_script is not built")
  return()
endif()

file(GLOB script_sources CONFIGURE_DEPENDS script/*.c)
set(tables ${CMAKE_CURRENT_BINARY_DIR}/unicode_tables.c)
add_custom_command(
  OUTPUT ${tables}
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/script/make_tables.py ${tables}
  DEPENDS script/make_tables.py
  COMMENT "Tables of Unicode"
  VERBATIM)
set(stack_sources script/stack.c script/interrupt.c) # which have thread-local variables
list(FILTER script_sources EXCLUDE REGEX "/(stack|interrupt)\\.c$")
add_thread_objects(script_stack ${stack_sources})
add_library(script_objects OBJECT ${script_sources} ${tables})
# Loops over text are written for the vectoriser.
file(GLOB text_sources CONFIGURE_DEPENDS script/text*.c script/bytes*.c)
set_source_files_properties(${text_sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
target_include_directories(script_objects PRIVATE include script src)
# Whose words messages are in.
target_compile_definitions(script_objects PRIVATE JITFFI_SCRIPT_PYTHON=${Python_VERSION_MAJOR}${Python_VERSION_MINOR})
target_link_libraries(script_objects PRIVATE jitffi_flags)

set(script_libraries script_static)
if(has_shared)
  list(APPEND script_libraries script)
else()
  add_library(script INTERFACE)
  target_link_libraries(script INTERFACE script_static)
  add_library(jitffi::script ALIAS script)
endif()
foreach(kind IN LISTS script_libraries)
  if(kind STREQUAL script)
    add_library(${kind} SHARED $<TARGET_OBJECTS:script_objects> $<TARGET_OBJECTS:script_stack_${shared_objects}>)
    target_link_libraries(${kind} PRIVATE $<BUILD_INTERFACE:jitffi_flags> m PUBLIC runtime)
    if(APPLE)
      set_target_properties(${kind} PROPERTIES INSTALL_RPATH "@loader_path")
    else()
      set_target_properties(${kind} PROPERTIES INSTALL_RPATH "$ORIGIN")
      target_link_options(${kind} PRIVATE -Wl,-Bsymbolic-functions -Wl,-z,nodelete)
    endif()
  else()
    add_library(${kind} STATIC $<TARGET_OBJECTS:script_objects> $<TARGET_OBJECTS:script_stack_objects>)
    target_link_libraries(${kind} PUBLIC runtime_static m)
    target_link_libraries(${kind} PRIVATE $<BUILD_INTERFACE:jitffi_flags>)
  endif()
  set_target_properties(${kind} PROPERTIES OUTPUT_NAME jitffi_script)
  target_include_directories(
    ${kind} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  add_library(jitffi::${kind} ALIAS ${kind})
endforeach()
if(NOT has_shared)
  list(APPEND script_libraries script)
endif()
