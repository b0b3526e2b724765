# Stops where the compiler makes another C++ ABI than torch has: std::string and std::list are then other types, and whatever is
# linked finds none of torch's functions that take one.
#
# _GLIBCXX_USE_CXX11_ABI chooses it: 1, "new", since GCC 5; 0, "old", with a flag or by a compiler that was built so (devtoolset).
# Torch's is told by the names in libc10.so. Needs TorchCore.
function(_myops_check_cxx_abi)
  file(STRINGS "${TorchCore_c10_LIBRARY}" names LIMIT_COUNT 1 REGEX "__cxx11")
  set(torchs 0)
  if(names)
    set(torchs 1)
  endif()
  get_directory_property(definitions COMPILE_DEFINITIONS)
  list(TRANSFORM definitions PREPEND -D)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(asked "${torchs} ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${definitions}")
  if("${MYOPS_CXX_ABI_AGREED}" STREQUAL asked)
    return()
  endif()
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_TRY_COMPILE_CONFIGURATION "${CMAKE_BUILD_TYPE}")
  try_compile(agreed SOURCE_FROM_CONTENT abi.cpp "#include <string>
#if defined _GLIBCXX_USE_CXX11_ABI && _GLIBCXX_USE_CXX11_ABI != ${torchs}
#error another
#endif
" COMPILE_DEFINITIONS ${definitions} NO_CACHE)
  if(NOT agreed)
    math(EXPR compilers "1 - ${torchs}")
    message(FATAL_ERROR "the C++ compiler has _GLIBCXX_USE_CXX11_ABI=${compilers}, and torch ${TorchCore_VERSION} in ${TorchCore_LIBRARY_DIR} was built with ${torchs}: take that flag out, or add -D_GLIBCXX_USE_CXX11_ABI=${torchs} to CMAKE_CXX_FLAGS")
  endif()
  set(MYOPS_CXX_ABI_AGREED "${asked}" CACHE INTERNAL "What was found to have torch's C++ ABI")
endfunction()

if(CMAKE_CXX_COMPILER_LOADED)
  _myops_check_cxx_abi()
endif()
