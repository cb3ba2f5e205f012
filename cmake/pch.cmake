# SPDX-License-Identifier: Apache-2.0
# One precompiled header, of the standard library, fmt and tl::expected, for all that clang builds.
#
# CMake's own precompiled headers name files of the clone that they are built in, so a second clone
# finds nothing in ccache, or worse, a header that points into the first. This one consists of
# system headers only: it is compiled as the one "object" of a library, from the last header, with
# the others included before it, and is named to the compiler relative to the binary directory.
# g++ builds without it, which also shows an #include that a source has forgotten.

set(weir_pch_headers
  fmt/format.h
  algorithm array bit charconv chrono cmath compare concepts cstddef cstdint cstring functional
  iterator limits map memory numeric optional set span string string_view tuple type_traits
  unordered_map utility variant vector)
find_file(WEIR_PCH_LAST_HEADER tl/expected.hpp REQUIRED)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(weir_pch_file CMakeFiles/weir_pch.dir${WEIR_PCH_LAST_HEADER}${CMAKE_CXX_OUTPUT_EXTENSION})

  add_library(weir_pch OBJECT "${WEIR_PCH_LAST_HEADER}")
  target_link_libraries(weir_pch PRIVATE fmt::fmt)
  set_source_files_properties("${WEIR_PCH_LAST_HEADER}" PROPERTIES LANGUAGE CXX)
  target_compile_options(weir_pch PRIVATE
    "SHELL:-x c++-header -Xclang -fno-pch-timestamp" -fpch-instantiate-templates)
  foreach(header IN LISTS weir_pch_headers)
    target_compile_options(weir_pch PRIVATE "SHELL:-include ${header}")
  endforeach()
endif()

function(weir_use_pch target)
  if(TARGET weir_pch)
    target_compile_options(${target} PRIVATE "SHELL:-include-pch ${weir_pch_file}")
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target}
      APPEND PROPERTY OBJECT_DEPENDS "${CMAKE_BINARY_DIR}/${weir_pch_file}")
  endif()
endfunction()
