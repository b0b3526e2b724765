# myops_install(COMPONENT … DESTINATION … FILES … PROGRAMS …): installs files, each in one step.
#
#   COMPONENT    what `cmake --install … --component` calls it
#   DESTINATION  folder, relative to the install prefix
#   FILES        paths or generator expressions; PROGRAMS: those that can be executed, shared objects among them
#   EXCLUDE_FROM_ALL   installed only where the component is asked for by name
#
# CMake's own rules remove the old file and then write the new one under its name: who looks meanwhile finds none, or half of one.
# Here a file is complete before it has its name, and a process that has the old one mapped keeps that.
function(myops_install)
  cmake_parse_arguments(PARSE_ARGV 0 arg "EXCLUDE_FROM_ALL" "COMPONENT;DESTINATION" "FILES;PROGRAMS")
  if(NOT arg_COMPONENT OR NOT arg_DESTINATION OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "myops_install: COMPONENT and DESTINATION are needed; unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set_property(GLOBAL APPEND PROPERTY MYOPS_COMPONENTS ${arg_COMPONENT})
  set(options COMPONENT ${arg_COMPONENT})
  if(arg_EXCLUDE_FROM_ALL)
    list(APPEND options EXCLUDE_FROM_ALL)
  endif()
  install(CODE "
    set(MYOPS_COMPONENT \"${arg_COMPONENT}\")
    set(MYOPS_DESTINATION \"${arg_DESTINATION}\")
    set(MYOPS_FILES \"${arg_FILES}\")
    set(MYOPS_PROGRAMS \"${arg_PROGRAMS}\")
    set(MYOPS_STRIP \"${CMAKE_STRIP}\")
    set(MYOPS_RECORDS \"${MYOPS_RECORDS}\")
    include(\"${MYOPS_INSTALL_DIR}/PlaceFiles.cmake\")" ${options})
endfunction()

set(MYOPS_INSTALL_DIR "${CMAKE_CURRENT_LIST_DIR}")
