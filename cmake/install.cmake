# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, its shell completion, and the libraries and headers that
# find_package(weir) offers as weir::weir.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weir_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weir")
set(weir_header_dir "${CMAKE_INSTALL_INCLUDEDIR}/weir")
set(weir_embedded_folders base event bloom filter match engine)

if(TARGET weir)
  install(TARGETS weir RUNTIME)
endif()

set(completion "${CMAKE_SOURCE_DIR}/tools/completion/weir.bash")
if(EXISTS "${completion}")
  install(FILES "${completion}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME weir)
endif()

if(EXISTS "${CMAKE_SOURCE_DIR}/include")
  install(DIRECTORY include/ DESTINATION "${weir_header_dir}" FILES_MATCHING PATTERN "*.h")
endif()
foreach(folder IN LISTS weir_embedded_folders)
  if(EXISTS "${CMAKE_SOURCE_DIR}/src/${folder}")
    install(DIRECTORY "src/${folder}" DESTINATION "${weir_header_dir}"
      FILES_MATCHING PATTERN "*.h" PATTERN "*_testing.h" EXCLUDE)
  endif()
endforeach()

list(TRANSFORM weir_embedded_folders PREPEND weir_ OUTPUT_VARIABLE weir_embedded_targets)
install(TARGETS weir_embed ${weir_embedded_targets} EXPORT weir-targets)
install(EXPORT weir-targets NAMESPACE weir:: DESTINATION "${weir_package_dir}")

configure_package_config_file(cmake/weir-config.cmake.in "${CMAKE_BINARY_DIR}/weir-config.cmake"
  INSTALL_DESTINATION "${weir_package_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/weir-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/weir-config.cmake"
  "${CMAKE_BINARY_DIR}/weir-config-version.cmake" DESTINATION "${weir_package_dir}")
