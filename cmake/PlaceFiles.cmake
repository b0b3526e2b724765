# Runs during an install, once for each myops_install: puts MYOPS_FILES and MYOPS_PROGRAMS into MYOPS_DESTINATION under hidden names
# and renames them. Whatever a name stood for before stays whole until then. DESTDIR and --strip mean what they mean to CMake.
# MYOPS_RECORDS: folder with a list per component of what was ever installed, for `uninstall`; or empty. A line of it is the SHA-256 of a
# file and its path, relative to the prefix. It is there before the file is, so that an install that was broken off can be taken away too,
# and is appended alone: two installs at once do not undo each other's.
cmake_policy(VERSION 3.25)  # an install script has no policies of its own

set(folder "${CMAKE_INSTALL_PREFIX}/${MYOPS_DESTINATION}")
set(record "${MYOPS_RECORDS}/${MYOPS_COMPONENT}.txt")
set(recorded "")
if(MYOPS_RECORDS AND EXISTS "${record}")
  file(STRINGS "${record}" recorded)
endif()

# Notes that a file of this content is or will be `name`.
function(myops_record content name)
  if(NOT MYOPS_RECORDS)
    return()
  endif()
  file(SHA256 "${content}" hash)
  set(line "${hash} ${MYOPS_DESTINATION}/${name}")
  if(NOT line IN_LIST recorded)
    file(APPEND "${record}" "${line}\n")
  endif()
endfunction()

function(myops_place file)
  cmake_path(GET file FILENAME name)
  myops_record("${file}" "${name}")
  string(RANDOM LENGTH 8 part)
  set(part ".${name}.${part}")  # uninstall.cmake.in knows the form
  set(placed "$ENV{DESTDIR}${folder}/${name}")
  set(part "$ENV{DESTDIR}${folder}/${part}")
  # Not file(INSTALL): where that fails, nothing after it runs that could take away what there is.
  file(MAKE_DIRECTORY "$ENV{DESTDIR}${folder}")
  file(COPY_FILE "${file}" "${part}" RESULT failed)
  if(NOT failed)
    file(CHMOD "${part}" PERMISSIONS ${ARGN})
  endif()
  if(NOT failed AND CMAKE_INSTALL_DO_STRIP AND "OWNER_EXECUTE" IN_LIST ARGN)
    execute_process(COMMAND "${MYOPS_STRIP}" --strip-unneeded "${part}" RESULT_VARIABLE failed)
    if(NOT failed)
      myops_record("${part}" "${name}")
    endif()
  endif()
  if(NOT failed)
    file(RENAME "${part}" "${placed}" RESULT failed)
  endif()
  if(failed)
    file(REMOVE "${part}")
    message(FATAL_ERROR "cannot install ${placed}: ${failed}")
  endif()
  message(STATUS "Installing: ${placed}")
endfunction()

set(manifest ${CMAKE_INSTALL_MANIFEST_FILES})
foreach(kind IN ITEMS FILES PROGRAMS)
  set(permissions OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  if(kind STREQUAL "PROGRAMS")
    list(APPEND permissions OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
  endif()
  foreach(file IN LISTS MYOPS_${kind})
    myops_place("${file}" ${permissions})
    cmake_path(GET file FILENAME name)
    list(APPEND manifest "${folder}/${name}")
  endforeach()
endforeach()
set(CMAKE_INSTALL_MANIFEST_FILES ${manifest})
