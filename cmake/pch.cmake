# SPDX-License-Identifier: Apache-2.0
# Precompiled headers for all that clang builds:
#
#   weir_pch        the standard library, fmt and tl::expected: every library
#   weir_test_pch   these and GoogleTest with GoogleMock: tests and what they share
#   weir_net_pch    these and Asio: the server
#
# CMake's own precompiled headers name files of the clone that they are built in, so a second clone
# finds nothing in ccache, or worse, a header that points into the first. These consist of system
# headers only: each is compiled as the one "object" of a library, from its last header, with
# the others included before it, and is named to the compiler relative to the binary directory.
# g++ builds without them, which also shows an #include that a source has forgotten.

set(weir_pch_headers
  fmt/format.h
  algorithm array bit charconv chrono cmath compare concepts cstddef cstdint cstring functional
  iterator limits map memory numeric optional set span string string_view tuple type_traits
  unordered_map utility variant vector tl/expected.hpp)

# weir_add_pch(<name> LAST <header> HEADERS ... LIBS ... DEFINITIONS ...)
function(weir_add_pch name)
  cmake_parse_arguments(arg "" "LAST" "HEADERS;LIBS;DEFINITIONS" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  find_file(${name}_last "${arg_LAST}" REQUIRED)
  add_library(${name} OBJECT "${${name}_last}")
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
  set_source_files_properties("${${name}_last}" PROPERTIES LANGUAGE CXX)
  target_compile_options(${name} PRIVATE
    "SHELL:-x c++-header -Xclang -fno-pch-timestamp" -fpch-instantiate-templates)
  foreach(header IN LISTS arg_HEADERS)
    target_compile_options(${name} PRIVATE "SHELL:-include ${header}")
  endforeach()
  set_property(GLOBAL PROPERTY ${name}_file
    "CMakeFiles/${name}.dir${${name}_last}${CMAKE_CXX_OUTPUT_EXTENSION}")
endfunction()

function(weir_use_pch target name)
  if(TARGET ${name})
    get_property(file GLOBAL PROPERTY ${name}_file)
    target_compile_options(${target} PRIVATE "SHELL:-include-pch ${file}")
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target}
      APPEND PROPERTY OBJECT_DEPENDS "${CMAKE_BINARY_DIR}/${file}")
  endif()
endfunction()

# Asio and Beast are compiled once, in server/net_impl.cc.
set(weir_net_definitions BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)

weir_add_pch(weir_pch LAST tl/expected.hpp HEADERS ${weir_pch_headers} LIBS fmt::fmt)
weir_add_pch(weir_test_pch LAST gmock/gmock.h
  HEADERS ${weir_pch_headers} gtest/gtest.h LIBS fmt::fmt GTest::gmock)
weir_add_pch(weir_net_pch LAST boost/asio/ssl/stream.hpp
  HEADERS ${weir_pch_headers} boost/asio/any_io_executor.hpp boost/asio/awaitable.hpp
    boost/asio/buffer.hpp boost/asio/co_spawn.hpp boost/asio/dispatch.hpp
    boost/asio/io_context.hpp boost/asio/ip/tcp.hpp boost/asio/post.hpp
    boost/asio/redirect_error.hpp boost/asio/steady_timer.hpp boost/asio/use_awaitable.hpp
  LIBS fmt::fmt Boost::headers OpenSSL::SSL DEFINITIONS ${weir_net_definitions})
