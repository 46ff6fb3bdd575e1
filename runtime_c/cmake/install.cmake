# Installs libraries, headers and what finds them; all of it can be moved as a whole.
include(CMakePackageConfigHelpers)

set(cmake_dir ${lib_dir}/cmake/jitffi)
set(libraries runtime runtime_static ${script_libraries})
install(TARGETS ${libraries} EXPORT jitffiTargets LIBRARY DESTINATION ${lib_dir} ARCHIVE DESTINATION ${lib_dir})
install(DIRECTORY include/jitffi DESTINATION include FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT jitffiTargets NAMESPACE jitffi:: DESTINATION ${cmake_dir})
# The build directory can be used as it stands, too.
export(TARGETS ${libraries} jitffi_flags NAMESPACE jitffi:: FILE ${CMAKE_CURRENT_BINARY_DIR}/jitffiTargets.cmake)

configure_package_config_file(cmake/jitffiConfig.cmake.in jitffiConfig.cmake INSTALL_DESTINATION ${cmake_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(jitffiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jitffiConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/jitffiConfigVersion.cmake
        DESTINATION ${cmake_dir})
# So that a project is built for another target as the runtime was.
install(DIRECTORY cmake/toolchains DESTINATION ${cmake_dir})

# ${pcfiledir} is where pkg-config found the file: a path relative to it survives any move.
file(RELATIVE_PATH pc_include /${lib_dir}/pkgconfig /include)
set(private_libs)
if(system_libraries)
  set(private_libs "-pthread -ldl -lm")
endif()
# A program without scripts shall not need their library; one with them finds both where they lie.
set(pc_scripts)
set(pc_rpath)
if(has_shared)
  set(pc_rpath "-Wl,-rpath,\${libdir}")
endif()
if(script_libraries)
  set(pc_scripts -ljitffi_script)
  if(has_shared AND NOT APPLE)
    set(pc_scripts "-Wl,--push-state,--as-needed -ljitffi_script -Wl,--pop-state")
  endif()
endif()
configure_file(cmake/jitffi.pc.in jitffi.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jitffi.pc DESTINATION ${lib_dir}/pkgconfig)
