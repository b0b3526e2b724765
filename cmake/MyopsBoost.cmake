# Boost's headers, of any release from MYOPS_BOOST_VERSION on: an installed package with its CMake files, or a folder of headers alone.
#
#   BOOST_ROOT   where to look first: a prefix with include/boost, or an unpacked archive (variable or environment)
# Defines Boost::headers.
set(MYOPS_BOOST_VERSION 1.81)

find_package(Boost ${MYOPS_BOOST_VERSION} QUIET CONFIG)
if(NOT TARGET Boost::headers)
  find_path(MYOPS_BOOST_INCLUDE boost/version.hpp HINTS "${BOOST_ROOT}" "$ENV{BOOST_ROOT}" PATH_SUFFIXES include)
  mark_as_advanced(MYOPS_BOOST_INCLUDE)
  set(found "none was found")
  if(MYOPS_BOOST_INCLUDE)
    file(STRINGS "${MYOPS_BOOST_INCLUDE}/boost/version.hpp" line REGEX "^#define BOOST_LIB_VERSION ")
    string(REGEX REPLACE ".*\"([0-9]+)_([0-9]+).*" "\\1.\\2" version "${line}")
    set(found "that of ${MYOPS_BOOST_INCLUDE} is ${version}")
  endif()
  if(NOT MYOPS_BOOST_INCLUDE OR version VERSION_LESS MYOPS_BOOST_VERSION)
    unset(MYOPS_BOOST_INCLUDE CACHE)  # look again next time
    message(FATAL_ERROR "the loader needs the headers of Boost ${MYOPS_BOOST_VERSION} or newer, and ${found}: install the package (Debian, Ubuntu: libboost-dev or libboost1.81-dev), or name a folder with BOOST_ROOT; -DMYOPS_LOADER=OFF does without")
  endif()
  add_library(Boost::headers INTERFACE IMPORTED)
  target_include_directories(Boost::headers SYSTEM INTERFACE "${MYOPS_BOOST_INCLUDE}")
endif()
