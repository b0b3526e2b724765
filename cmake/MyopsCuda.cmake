# The CUDA compiler, for backend_cuda alone; included only with MYOPS_CUDA.
#
#   MYOPS_CUDA_ARCH   architectures, e.g. "75;120": machine code for each, and PTX of the oldest and the newest, which a driver can
#                     translate for the GPUs between and after them. "all-release": what a release has.
# Defines
#   MYOPS_CUDA_RUNTIME   version of the CUDA runtime that is compiled against ("13.0")
set(MYOPS_CUDA_ARCH "75;120" CACHE STRING "GPU architectures: numbers separated by semicolons, or all-release")
set(MYOPS_CUDA_RELEASE_ARCH 75 80 86 90 100 120)

# "75;120" → "75-real;120-real;75-virtual;120-virtual"
function(myops_cuda_architectures out)
  set(numbers ${ARGN})
  if(numbers STREQUAL "all-release")
    set(numbers ${MYOPS_CUDA_RELEASE_ARCH})
  endif()
  foreach(number IN LISTS numbers)
    if(NOT number MATCHES "^[0-9]+[af]?$")
      message(FATAL_ERROR "MYOPS_CUDA_ARCH: expected numbers like 75;120, or all-release, got ${ARGN}")
    endif()
  endforeach()
  list(SORT numbers COMPARE NATURAL)
  list(TRANSFORM numbers APPEND "-real" OUTPUT_VARIABLE real)
  list(FILTER numbers INCLUDE REGEX "^[0-9]+$")  # PTX for one architecture or family alone runs on no newer GPU
  set(virtual "")
  if(numbers)
    list(GET numbers 0 -1 virtual)
    list(REMOVE_DUPLICATES virtual)
    list(TRANSFORM virtual APPEND "-virtual")
  endif()
  set(${out} ${real} ${virtual} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  return()  # tests of the function above
endif()

myops_cuda_architectures(CMAKE_CUDA_ARCHITECTURES ${MYOPS_CUDA_ARCH})
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(MYOPS_NVCC nvcc PATHS /usr/local/cuda/bin)
  mark_as_advanced(MYOPS_NVCC)
  if(NOT MYOPS_NVCC)
    message(FATAL_ERROR "MYOPS_CUDA is ON, and there is no nvcc: put it on PATH, or name it with -DCMAKE_CUDA_COMPILER")
  endif()
  set(CMAKE_CUDA_COMPILER "${MYOPS_NVCC}")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(MYOPS_CUDA_RUNTIME "${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR}")
