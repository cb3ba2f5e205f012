# SPDX-License-Identifier: Apache-2.0
# weir_folder(<name> [PCH <name>] DEPS ... PUBLIC_LIBS ... PRIVATE_LIBS ... TEST_LIBS ...)
#
# Turns src/<name>/ into targets, by the endings of the file names:
#
#   *.cc            weir_<name>            static library; *_avx2.cc and *_avx512.cc for those machines
#   *_testing.cc    weir_<name>_testing    support of this and higher folders' tests
#   *_test.cc       <name>_tests           one GoogleTest program
#   x_fuzz.cc       x_fuzz                 one libFuzzer program each, with WEIR_FUZZ
#   x_bench.cc      x_bench                one Google Benchmark program each, by target `benches`
#
# DEPS are folders and must agree with tools/layers.py. A folder without sources is an interface.
# Test support (*_testing.cc) reads files of the tree below WEIR_SOURCE_DIR.

include(GoogleTest)
include(cmake/pch.cmake)

# Sets <out> to the files of src/<folder>/ that match <pattern>.
function(weir_glob out folder pattern)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${folder}/${pattern}")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# weir_library(<target> PCH ... SOURCES ... PUBLIC ... PRIVATE ...): static, or interface without
# sources.
function(weir_library target)
  cmake_parse_arguments(arg "" "PCH" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    weir_use_pch(${target} ${arg_PCH})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC})
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope}
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>"
    "$<INSTALL_INTERFACE:include/weir>")
endfunction()

function(weir_tests folder libs)
  weir_glob(sources ${folder} *_test.cc)
  if(sources)
    add_executable(${folder}_tests ${sources})
    target_link_libraries(${folder}_tests PRIVATE ${libs} GTest::gmock_main)
    weir_use_pch(${folder}_tests weir_test_pch)
    gtest_discover_tests(${folder}_tests
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()

function(weir_fuzzers folder libs)
  weir_glob(sources ${folder} *_fuzz.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} "${source}")
    target_link_libraries(${name} PRIVATE ${libs})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    weir_use_pch(${name} weir_pch)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
  endforeach()
endfunction()

function(weir_benches folder libs)
  weir_glob(sources ${folder} *_bench.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} EXCLUDE_FROM_ALL "${source}")
    target_link_libraries(${name} PRIVATE ${libs} benchmark::benchmark_main)
    weir_use_pch(${name} weir_pch)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench/${folder}")
    add_dependencies(benches ${name})
  endforeach()
endfunction()

# Sets <out> to objects of the sources whose names end in an instruction set, each compiled for it;
# the program chooses between them when it runs. No precompiled header fits them.
function(weir_isa_objects out folder)
  set(avx2 -mavx2 -mbmi2)
  set(avx512 ${avx2} -mavx512f -mavx512vl -mavx512dq)
  set(objects)
  foreach(isa avx2 avx512)
    weir_glob(sources ${folder} *_${isa}.cc)
    if(sources)
      set(target weir_${folder}_${isa})
      add_library(${target} OBJECT ${sources})
      target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/src")
      # g++ 12 takes the undefined registers of its own AVX-512 header for a mistake.
      target_compile_options(${target} PRIVATE
        "$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")
      if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        target_compile_options(${target} PRIVATE ${${isa}})
      endif()
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

function(weir_folder folder)
  cmake_parse_arguments(arg "" "PCH" "DEPS;PUBLIC_LIBS;PRIVATE_LIBS;TEST_LIBS" ${ARGN})
  if(NOT arg_PCH)
    set(arg_PCH weir_pch)
  endif()

  weir_glob(sources ${folder} *.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench|testing|avx2|avx512)\\.cc$")
  weir_isa_objects(isa_objects ${folder})
  list(TRANSFORM arg_DEPS PREPEND weir_ OUTPUT_VARIABLE deps)
  weir_library(weir_${folder} PCH ${arg_PCH}
    SOURCES ${sources} ${isa_objects} PUBLIC ${deps} ${arg_PUBLIC_LIBS} PRIVATE ${arg_PRIVATE_LIBS})

  weir_glob(testing_sources ${folder} *_testing.cc)
  list(TRANSFORM deps APPEND _testing OUTPUT_VARIABLE testing_deps)
  weir_library(weir_${folder}_testing PCH weir_test_pch
    SOURCES ${testing_sources} PUBLIC weir_${folder} ${testing_deps} PRIVATE GTest::gmock)
  if(testing_sources)
    target_compile_definitions(weir_${folder}_testing PRIVATE
      "WEIR_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
  endif()

  set(libs weir_${folder}_testing ${arg_TEST_LIBS})
  weir_tests(${folder} "${libs}")
  weir_benches(${folder} "${libs}")
  if(WEIR_FUZZ)
    weir_fuzzers(${folder} "${libs}")
  endif()
endfunction()
