# Two INTERFACE targets, the only place where compiler flags stand.
#   myops_warnings  warnings, for every target of ours
#   myops_plugin_flags  what makes a shared object a good plugin: nothing exported, everything bound at load, no build path in it
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/MyopsCxxAbi.cmake")

# -Wno-restrict: g++ 12 sees an overlap in `"text" + std::string` that is not there (GCC bug 105651).
add_library(myops_warnings INTERFACE)
target_compile_options(myops_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror=return-type -Wno-unused-parameter -Wno-restrict>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unknown-warning-option>)
target_compile_features(myops_warnings INTERFACE cxx_std_20)

# -Wno-maybe-uninitialized: g++ 12 sees that in std::regex once sanitizers are on (GCC bug 105562).
add_library(myops_sanitize INTERFACE)
if(MYOPS_SANITIZE)
  list(JOIN MYOPS_SANITIZE "," sanitizers)
  target_compile_options(myops_sanitize INTERFACE -Wno-maybe-uninitialized -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(myops_sanitize INTERFACE -fsanitize=${sanitizers})
endif()

add_library(myops_plugin_flags INTERFACE)
target_compile_options(myops_plugin_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-gnu-unique>)
# __FILE__ is in every registration text and so in the manifests: the same in whatever folder, and whether the compiler is given
# absolute paths or, by a ccache with a base folder, relative ones. Of two maps that fit, GCC takes the later.
set(maps "${CMAKE_SOURCE_DIR}=." "${TorchCore_ROOT}=torch")
if(MYOPS_HEADERS)  # those of an install
  list(APPEND maps "${MYOPS_HEADERS}=myops")
endif()
foreach(map IN LISTS maps)
  string(REGEX MATCH "^(.*)=(.*)$" _ "${map}")
  cmake_path(RELATIVE_PATH CMAKE_MATCH_1 BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE relative)
  foreach(folder IN ITEMS "${CMAKE_MATCH_1}" "${relative}")
    target_compile_options(myops_plugin_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${folder}=${CMAKE_MATCH_2}>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffile-prefix-map=${folder}=${CMAKE_MATCH_2}>)
  endforeach()
endforeach()
target_link_options(myops_plugin_flags INTERFACE
  "LINKER:-z,now" "LINKER:-z,nodelete" "LINKER:-z,relro" "LINKER:--build-id=sha1" "LINKER:--as-needed" "LINKER:-z,defs")
