# Helpers that give every stage and test the same flags. tests/test_dependencies.py checks which room may
# include which.

set(HEMOTILE_WARNINGS -Wall -Wextra)
if(HEMOTILE_WERROR AND NOT HEMOTILE_SANITIZE)
  list(APPEND HEMOTILE_WARNINGS -Werror)
endif()

# These checks for undefined behaviour take a quarter of the time to compile and to run, and find only
# what AddressSanitizer also finds: reads and writes through NULL and out of bounds.
set(HEMOTILE_SANITIZERS -fsanitize=address,undefined,float-cast-overflow
  -fno-sanitize=null,object-size,pointer-overflow -fno-omit-frame-pointer)

function(ht_flags target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:C,CXX>:${HEMOTILE_WARNINGS}>")
  if(HEMOTILE_SANITIZE)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:${HEMOTILE_SANITIZERS}>")
    # The code is not position-independent: else each start would first relocate half a million pointers.
    target_link_options(${target} PUBLIC -fsanitize=address,undefined -no-pie)
  endif()
  # The fuzzer instruments only code that reads files (kernels would take an hour to compile), and only
  # C: Debian's ITK headers accept no other compiler than GCC.
  if(HEMOTILE_FUZZ AND target MATCHES "^(ht_core|ht_import|ht_files|ht_case_file|ht_openings|ht_pipeline|ht_fuzz_reader|fuzz_main)$")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link,address,undefined;-fno-omit-frame-pointer;-g>")
  endif()
endfunction()

# ht_stage(NAME name SOURCES ... [LINKS ...] [PRIVATE_LINKS ...])
function(ht_stage)
  cmake_parse_arguments(S "" "NAME" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${S_NAME} STATIC ${S_SOURCES})
  target_link_libraries(${S_NAME} PUBLIC ${S_LINKS} PRIVATE ${S_PRIVATE_LINKS} m)
  ht_flags(${S_NAME})
endfunction()

# ht_together(target SOURCE...): compiles the C++ sources among these as one, since each of them takes three
# quarters of its time to read DCMTK's headers. Names in their anonymous namespaces must differ.
function(ht_together target)
  list(FILTER ARGN INCLUDE REGEX "\\.cpp$")
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP dcmtk)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# ht_cpu_kernels(target prefix SOURCE...): compiles the CPU's inner loops of a target once for each
# instruction set; the program chooses at its start. -ffast-math would change results between sets and
# hide NaNs, so only the flags that vectorising needs are on: without -fno-trapping-math a choice between two values
# that are computed stays a branch.
function(ht_cpu_kernel target name isa sources)
  add_library(${name} OBJECT ${sources})
  target_compile_definitions(${name} PRIVATE HT_ISA=${isa})
  if(NOT HEMOTILE_SANITIZE) # with sanitizers -O3 takes an hour
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
  endif()
  target_compile_options(${name} PRIVATE -fno-trapping-math ${ARGN})
  ht_flags(${name})
  if(HEMOTILE_SANITIZE) # alignment takes a third of the time to compile; a misaligned vector read stops anyway
    target_compile_options(${name} PRIVATE -fno-sanitize=alignment)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()

function(ht_cpu_kernels target prefix)
  ht_cpu_kernel(${target} ${prefix}_base base "${ARGN}")
  if(HEMOTILE_HAVE_WIDE)
    ht_cpu_kernel(${target} ${prefix}_avx2 avx2 "${ARGN}" -mavx2 -mfma -mf16c)
    ht_cpu_kernel(${target} ${prefix}_avx512 avx512 "${ARGN}" -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma
      -mf16c -mprefer-vector-width=512)
  endif()
endfunction()

# Defines HEMOTILE_HAVE_IMAGING, _CUDA, _PLOTS for the sources of a target, as built in.
function(ht_have target)
  foreach(part IMAGING CUDA PLOTS)
    if(HEMOTILE_HAVE_${part})
      target_compile_definitions(${target} PRIVATE HEMOTILE_HAVE_${part})
    endif()
  endforeach()
endfunction()

# ht_cuda_part(target none.c SOURCE.cu ...): adds the CUDA sources of a target, or, without a compiler
# for them, the C file that replaces them.
function(ht_cuda_part target none)
  if(HEMOTILE_HAVE_CUDA)
    target_sources(${target} PRIVATE ${ARGN})
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  else()
    target_sources(${target} PRIVATE ${none})
  endif()
endfunction()

# Tests run in parallel (scripts/test.sh): each has one thread, except programs that test threads, which
# have two, and two processors.
# ht_test_threads(name count)
function(ht_test_threads name threads)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "OMP_NUM_THREADS=${threads}")
  set_tests_properties(${name} PROPERTIES PROCESSORS ${threads})
endfunction()

# Links the tests with gold, a part of binutils: it takes a third of the time of the linker of the
# program itself, and a change relinks a hundred and fifty of them.
find_program(HEMOTILE_GOLD ld.gold)

# What scripts/test.sh builds of the release build: the program and the tests that run there.
add_custom_target(release_tests)
add_dependencies(release_tests hemotile)

# ht_test(NAME name SOURCES ... LINKS ... [LABELS unit|both|cli|heavy|gpu|long|data] [THREADS n]): adds one
# program as one CTest test. Exit code 77 is a skip. A `heavy` test checks numbers, over many steps or on
# many voxels, of code that a lighter test also runs: with the sanitizers it is neither built nor run,
# because they check the code and not its numbers. scripts/test.sh builds and runs a `unit` test with the
# sanitizers alone. Label `both`: one of arithmetic that the optimiser reorders, or that leaves something out
# with the sanitizers (`__SANITIZE_ADDRESS__`).
function(ht_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT;THREADS" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT T_THREADS)
    set(T_THREADS 1)
  endif()
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 900) # for a test that hangs; generous, since a busy machine is no failure
  endif()
  if(T_LABELS STREQUAL unit)
    foreach(source ${T_SOURCES})
      file(STRINGS ${source} left_out REGEX "__SANITIZE_ADDRESS__" LIMIT_COUNT 1)
      if(left_out)
        message(FATAL_ERROR "${T_NAME} leaves something out with the sanitizers, and no other build runs it: label it `both`")
      endif()
    endforeach()
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE ${T_LINKS} cmocka m)
  if(HEMOTILE_GOLD)
    target_link_options(${T_NAME} PRIVATE -fuse-ld=gold)
  endif()
  ht_flags(${T_NAME})
  if(HEMOTILE_SANITIZE AND NOT T_LABELS MATCHES "^(unit|both)$")
    set_target_properties(${T_NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(HEMOTILE_SANITIZE AND HEMOTILE_WERROR) # the texts that GCC finds too long here, it does not elsewhere
    target_compile_options(${T_NAME} PRIVATE -Werror -Wno-error=format-truncation)
  endif()
  if(NOT T_LABELS STREQUAL unit)
    add_dependencies(release_tests ${T_NAME})
  endif()
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABELS}" SKIP_RETURN_CODE 77
    TIMEOUT ${T_TIMEOUT} ENVIRONMENT "HEMOTILE_DATA=${HEMOTILE_DATA};OMP_WAIT_POLICY=passive")
  if(heavy IN_LIST T_LABELS)
    set_tests_properties(${T_NAME} PROPERTIES COST 10) # the longest start first
  endif()
  ht_test_threads(${T_NAME} ${T_THREADS})
  if(gpu IN_LIST T_LABELS)
    set_tests_properties(${T_NAME} PROPERTIES RESOURCE_LOCK gpu)
  endif()
endfunction()

# The folder of real scans for tests labelled `data`. Empty unless the environment names one: the tests
# are then skipped.
set(HEMOTILE_DATA "$ENV{HEMOTILE_DATA}" CACHE PATH "Folder of real scans for tests")

# Finds only the ITK modules that are used; CMake adds those that they need.
set(HEMOTILE_ITK_MODULES
  ITKCommon ITKStatistics ITKSmoothing ITKThresholding
  ITKImageFeature ITKDistanceMap ITKImageGradient ITKLevelSets ITKBiasCorrection ITKIOImageBase ITKIONRRD ITKIOMeta)
