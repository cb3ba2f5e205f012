# SPDX-License-Identifier: Apache-2.0
# Flags of every target: warnings as errors, optimisation, sanitizers, the mold linker.

add_compile_options(
  -Wall -Wextra -Wpedantic -Werror
  -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion
  -Wold-style-cast -Wcast-qual -Wcast-align
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
  -Wimplicit-fallthrough -Wformat=2 -Wundef)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees an overlapping copy in std::string's operator+ where there is none, and finds a
  # designated initialiser incomplete that leaves members to their defaults.
  add_compile_options(-Wno-restrict -Wno-missing-field-initializers)
endif()

# Release keeps line tables, so that a failed check's backtrace can be read.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")

add_link_options(-fuse-ld=mold)

if(WEIR_SANITIZE)
  add_compile_options("-fsanitize=${WEIR_SANITIZE}" -fno-sanitize-recover=all)
  add_link_options("-fsanitize=${WEIR_SANITIZE}")
endif()

if(WEIR_FUZZ)
  # Coverage of the libraries guides the fuzzers; the runtime comes with each fuzzer only.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
