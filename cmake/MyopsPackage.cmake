# The CMake package, the check of component names and `uninstall`. Included last: only then are all components known.
include(CMakePackageConfigHelpers)
# Not in a folder where find_package looks: beside the targets of a build it would find nothing of what it names.
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/myops")
configure_package_config_file(cmake/myopsConfig.cmake.in "${PROJECT_BINARY_DIR}/package/myopsConfig.cmake"
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/myopsConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
set(files FindTorchCore.cmake MyopsAddPlugin.cmake MyopsBuildFlags.cmake MyopsCxxAbi.cmake MyopsInstall.cmake PlaceFiles.cmake manifest_note.S.in plugin.map)
list(TRANSFORM files PREPEND "${PROJECT_SOURCE_DIR}/cmake/")
myops_install(COMPONENT myops_cmake DESTINATION "${package}"
  FILES ${files} "${PROJECT_BINARY_DIR}/package/myopsConfig.cmake" "${PROJECT_BINARY_DIR}/package/myopsConfigVersion.cmake")

# What is installed, without tests, examples and benchmarks.
get_property(installed GLOBAL PROPERTY MYOPS_INSTALLED_TARGETS)
if(MYOPS_LOADER)
  list(APPEND installed myops_loader myops_bridge myops_cli)
endif()
add_custom_target(myops_libraries)
add_dependencies(myops_libraries ${installed})

if(PROJECT_IS_TOP_LEVEL)
  # CMake takes any name, and installs nothing where it is misspelt.
  get_property(components GLOBAL PROPERTY MYOPS_COMPONENTS)
  list(SORT components)
  list(REMOVE_DUPLICATES components)
  install(CODE "
    set(components \"${components}\")
    list(FIND components \"\${CMAKE_INSTALL_COMPONENT}\" known)
    if(CMAKE_INSTALL_COMPONENT AND known EQUAL -1)
      message(FATAL_ERROR \"no component is called \${CMAKE_INSTALL_COMPONENT}; there are: \${components}\")
    endif()" ALL_COMPONENTS)
  configure_file(cmake/uninstall.cmake.in "${PROJECT_BINARY_DIR}/uninstall.cmake" @ONLY)
  add_custom_target(uninstall COMMAND "${CMAKE_COMMAND}" -P "${PROJECT_BINARY_DIR}/uninstall.cmake" VERBATIM)
endif()
