# Helpers that give every stage and test the same flags and the same rule of who may include whom:
# a target sees its own folder and those of the targets that it links, nothing else.

set(HEMOTILE_WARNINGS -Wall -Wextra)
if(HEMOTILE_WERROR)
  list(APPEND HEMOTILE_WARNINGS -Werror)
endif()

function(ht_flags target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:C,CXX>:${HEMOTILE_WARNINGS}>")
  if(HEMOTILE_SANITIZE)
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined,float-cast-overflow;-fno-omit-frame-pointer>")
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  # Of the fuzzer only what reads files is instrumented (kernels would take an hour to compile), and
  # only C: Debian's ITK headers know no other compiler than GCC.
  if(HEMOTILE_FUZZ AND target MATCHES "^(ht_core|ht_import|ht_files|ht_case_file|ht_openings|ht_pipeline|ht_fuzz_reader|fuzz_main)$")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link,address,undefined;-fno-omit-frame-pointer;-g>")
  endif()
endfunction()

# ht_stage(NAME name SOURCES ... [LINKS ...] [PRIVATE_LINKS ...])
function(ht_stage)
  cmake_parse_arguments(S "" "NAME" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${S_NAME} STATIC ${S_SOURCES})
  target_include_directories(${S_NAME} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${S_NAME} PUBLIC ${S_LINKS} PRIVATE ${S_PRIVATE_LINKS} m)
  ht_flags(${S_NAME})
endfunction()

# Tells the sources of a target what was built in: HEMOTILE_HAVE_IMAGING, _CUDA, _PLOTS.
function(ht_have target)
  foreach(part IMAGING CUDA PLOTS)
    if(HEMOTILE_HAVE_${part})
      target_compile_definitions(${target} PRIVATE HEMOTILE_HAVE_${part})
    endif()
  endforeach()
endfunction()

# ht_cuda_part(target none.c SOURCE.cu ...): the CUDA sources of a target, or, where there is no
# compiler for them, the C file that stands in their place.
function(ht_cuda_part target none)
  if(HEMOTILE_HAVE_CUDA)
    target_sources(${target} PRIVATE ${ARGN})
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  else()
    target_sources(${target} PRIVATE ${none})
  endif()
endfunction()

# ht_test(NAME name SOURCES ... LINKS ... [LABELS unit|cli|gpu|long|data]): one program, one CTest
# test. Exit code 77 is a skip.
function(ht_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE ${T_LINKS} cmocka m)
  ht_flags(${T_NAME})
  add_test(NAME ${T_NAME} COMMAND ${T_NAME})
  set_tests_properties(${T_NAME} PROPERTIES LABELS "${T_LABELS}" SKIP_RETURN_CODE 77
    TIMEOUT ${T_TIMEOUT} ENVIRONMENT "HEMOTILE_DATA=${HEMOTILE_DATA};OMP_WAIT_POLICY=passive")
endfunction()

# Where tests labelled `data` find real scans; they are skipped where it is absent.
if(DEFINED ENV{HEMOTILE_DATA})
  set(HEMOTILE_DATA_DEFAULT $ENV{HEMOTILE_DATA})
else()
  set(HEMOTILE_DATA_DEFAULT ${CMAKE_SOURCE_DIR}/../shared/data)
endif()
set(HEMOTILE_DATA ${HEMOTILE_DATA_DEFAULT} CACHE PATH "Folder of real scans for tests")

# Only the ITK modules that are used; CMake adds those that they need.
set(HEMOTILE_ITK_MODULES
  ITKCommon ITKStatistics ITKSmoothing ITKThresholding
  ITKImageFeature ITKDistanceMap ITKImageGradient ITKLevelSets ITKBiasCorrection ITKIOImageBase ITKIONRRD ITKIOMeta)
