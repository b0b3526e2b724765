# Finds the parts of a PyTorch build that an operator library needs: headers, libc10 and libtorch_cpu; nothing of CUDA.
#
# find_package(Torch) of a CUDA build of torch is fatal without a CUDA toolkit and makes every target link libtorch_cuda. This
# module looks at files only and works with any pip wheel or libtorch archive.
#
#   TorchCore_ROOT      folder with include/ and lib/ (the `torch` folder of a wheel). Default: the torch of `python3`.
# Defines
#   TorchCore_FOUND, TorchCore_VERSION ("2.15.0"), TorchCore_VERSION_MINOR_TEXT ("2.15"), TorchCore_LIBRARY_DIR
#   TorchCore::headers  include folders   TorchCore::c10, TorchCore::torch_cpu  what to link
#   TorchCore::c10_cuda  only with MYOPS_CUDA

if(NOT TorchCore_ROOT)
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(Python3_FOUND)
    execute_process(
      COMMAND "${Python3_EXECUTABLE}" -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
      OUTPUT_VARIABLE torch_root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(TorchCore_ROOT "${torch_root}" CACHE PATH "Folder with torch's include/ and lib/")
  endif()
endif()

find_path(TorchCore_INCLUDE_DIR torch/library.h PATHS "${TorchCore_ROOT}/include" NO_DEFAULT_PATH)
foreach(name IN ITEMS c10 torch_cpu)
  find_library(TorchCore_${name}_LIBRARY ${name} PATHS "${TorchCore_ROOT}/lib" NO_DEFAULT_PATH)
endforeach()
if(MYOPS_CUDA)
  find_library(TorchCore_c10_cuda_LIBRARY c10_cuda PATHS "${TorchCore_ROOT}/lib" NO_DEFAULT_PATH)
  set(cuda_library TorchCore_c10_cuda_LIBRARY)
endif()

# torch/headeronly/version.h since 2.9, torch/version.h before.
foreach(header IN ITEMS torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(EXISTS "${TorchCore_INCLUDE_DIR}/${header}" AND NOT TorchCore_VERSION)
    file(STRINGS "${TorchCore_INCLUDE_DIR}/${header}" lines REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
    string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*PATCH ([0-9]+).*" "\\1.\\2.\\3" version "${lines}")
    if(version MATCHES "^([0-9]+\\.[0-9]+)\\.[0-9]+$")
      set(TorchCore_VERSION "${version}")
      set(TorchCore_VERSION_MINOR_TEXT "${CMAKE_MATCH_1}")
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchCore
  REQUIRED_VARS TorchCore_INCLUDE_DIR TorchCore_c10_LIBRARY TorchCore_torch_cpu_LIBRARY TorchCore_VERSION ${cuda_library}
  VERSION_VAR TorchCore_VERSION
  REASON_FAILURE_MESSAGE "set TorchCore_ROOT to the `torch` folder of an installed torch (it holds include/ and lib/)")

# A build folder belongs to one torch: its objects, stamps and folder names are made for it.
if(TorchCore_FOUND)
  set(built_for "${TorchCore_VERSION} in ${TorchCore_ROOT}")
  if(DEFINED CACHE{TorchCore_BUILT_FOR} AND NOT TorchCore_BUILT_FOR STREQUAL built_for)
    message(FATAL_ERROR "this build folder was configured for torch ${TorchCore_BUILT_FOR}, and is now to be for the one in ${TorchCore_ROOT}: use another build folder, or remove this one")
  endif()
  set(TorchCore_BUILT_FOR "${built_for}" CACHE INTERNAL "The torch this build folder is for")
endif()

if(TorchCore_FOUND AND NOT TARGET TorchCore::headers)
  get_filename_component(TorchCore_LIBRARY_DIR "${TorchCore_c10_LIBRARY}" DIRECTORY)
  add_library(TorchCore::headers INTERFACE IMPORTED)
  target_include_directories(TorchCore::headers SYSTEM INTERFACE
    "${TorchCore_INCLUDE_DIR}" "${TorchCore_INCLUDE_DIR}/torch/csrc/api/include")
  target_compile_features(TorchCore::headers INTERFACE cxx_std_20)
  set(names c10 torch_cpu)
  if(MYOPS_CUDA)
    list(APPEND names c10_cuda)
  endif()
  foreach(name IN LISTS names)
    add_library(TorchCore::${name} SHARED IMPORTED)
    set_target_properties(TorchCore::${name} PROPERTIES
      IMPORTED_LOCATION "${TorchCore_${name}_LIBRARY}" IMPORTED_SONAME "lib${name}.so"
      INTERFACE_LINK_LIBRARIES TorchCore::headers)
  endforeach()
endif()
mark_as_advanced(TorchCore_INCLUDE_DIR TorchCore_c10_LIBRARY TorchCore_torch_cpu_LIBRARY TorchCore_c10_cuda_LIBRARY)
