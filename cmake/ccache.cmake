# SPDX-License-Identifier: Apache-2.0
# ccache, if there is one, set up so that the precompiled header is cached and a second clone at
# another path finds what the first has compiled. It names sources relative to the binary directory.

find_program(WEIR_CCACHE ccache)
set(weir_source_path "${CMAKE_SOURCE_DIR}/")
if(WEIR_CCACHE)
  file(RELATIVE_PATH weir_source_path "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}/")
  set(CMAKE_CXX_COMPILER_LAUNCHER
    env
    "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}"
    CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${WEIR_CCACHE}")
endif()

# Places in messages (__FILE__) are relative to the root of the repository, those in debug
# information to the binary directory, whichever clone filled the cache.
add_compile_options("-fmacro-prefix-map=${weir_source_path}=")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-fdebug-compilation-dir=.)
endif()
