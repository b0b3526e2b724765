# myops_add_plugin(NAME … SOURCES …): the one way a plugin is made.
#
#   NAME       target and file name: myops_cpu gives libmyops_cpu.so
#   SOURCES    its files
#   KEY        what it is for, for people: "CPU", "Autograd", …
#   SCHEMA     the plugin target that defines the operators; absent in the schema library itself
#   NAMESPACE  operator namespace (default: myops)   SET  set of libraries released together (default: NAMESPACE)
#   VERSION    default: PROJECT_VERSION
#   LEVEL      psABI level of the code, as the manifest states it (default on x86-64: x86-64; elsewhere there are none)
#   LIBRARIES  further link libraries (default: TorchCore::c10 and TorchCore::torch_cpu)
#   RESERVE    bytes reserved for the manifest (default: 32768)
#   OPENMP     compile with -fopenmp: without it at::parallel_for is silently serial
#   PCH        headers to precompile
#   OUTPUT_DIRECTORY  where the finished file goes (default: the plugin folder of the build tree)
#   NO_INSTALL   not part of an install (tests)   NO_STAMP  leave the manifest empty (tests)
#
# The linker writes unstamped/libNAME.so; `myops stamp` opens that in a child process, measures what it registers and writes the
# finished file with its manifest. A plugin whose registration would kill a process fails the build there. Target NAME is the
# linked file, target NAME_stamped the finished one; property MYOPS_FILE of NAME is its path.
function(myops_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg "OPENMP;NO_INSTALL;NO_STAMP"
    "NAME;KEY;SCHEMA;NAMESPACE;SET;VERSION;LEVEL;RESERVE;OUTPUT_DIRECTORY" "SOURCES;LIBRARIES;PCH")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "myops_add_plugin: NAME and SOURCES are needed; unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(pair IN ITEMS "NAMESPACE=myops" "VERSION=${PROJECT_VERSION}" "RESERVE=32768" "KEY=${arg_NAME}"
                        "OUTPUT_DIRECTORY=${PROJECT_BINARY_DIR}/${MYOPS_PLUGIN_FOLDER}")
    string(REGEX MATCH "^([A-Z_]+)=(.*)$" _ "${pair}")
    if(NOT arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  foreach(source IN LISTS arg_SOURCES)
    if(NOT source MATCHES "\\.")
      message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): ${source} is neither a source file nor an option")
    endif()
  endforeach()
  if(arg_SCHEMA AND NOT TARGET ${arg_SCHEMA})
    message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): SCHEMA ${arg_SCHEMA} is no plugin made before it")
  endif()
  if(NOT arg_LEVEL AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(arg_LEVEL x86-64)
  endif()
  if(NOT arg_SET)
    set(arg_SET "${arg_NAMESPACE}")
  endif()
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES TorchCore::c10 TorchCore::torch_cpu)
  endif()

  set(note "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_note.S")
  set(MYOPS_NOTE_BYTES "${arg_RESERVE}")
  configure_file("${MYOPS_CMAKE_DIR}/manifest_note.S.in" "${note}" @ONLY)

  add_library(${arg_NAME} MODULE ${arg_SOURCES} "${note}")
  target_link_libraries(${arg_NAME} PRIVATE myops_plugin_flags myops_warnings ${arg_LIBRARIES})
  target_link_options(${arg_NAME} PRIVATE "LINKER:--version-script=${MYOPS_CMAKE_DIR}/plugin.map")
  set_property(TARGET ${arg_NAME} APPEND PROPERTY LINK_DEPENDS "${MYOPS_CMAKE_DIR}/plugin.map")
  set_target_properties(${arg_NAME} PROPERTIES
    PREFIX lib SUFFIX .so
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/unstamped")
  if(arg_OPENMP)
    target_compile_options(${arg_NAME} PRIVATE -fopenmp)
    target_link_options(${arg_NAME} PRIVATE -fopenmp)
  endif()
  if(arg_PCH)
    target_precompile_headers(${arg_NAME} PRIVATE ${arg_PCH})
  endif()

  set(finished "${arg_OUTPUT_DIRECTORY}/lib${arg_NAME}.so")
  set_target_properties(${arg_NAME} PROPERTIES MYOPS_FILE "${finished}")
  if(arg_NO_STAMP OR NOT TARGET myops::cli)
    add_custom_command(OUTPUT "${finished}" DEPENDS ${arg_NAME} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory "${arg_OUTPUT_DIRECTORY}"
      COMMAND ${CMAKE_COMMAND} -E copy "$<TARGET_FILE:${arg_NAME}>" "${finished}"
      COMMENT "Placing lib${arg_NAME}.so (unstamped)")
  else()
    set(level_option "")
    if(arg_LEVEL)
      set(level_option --level "${arg_LEVEL}")
    endif()
    set(schema_option "")
    set(schema_file "")
    if(arg_SCHEMA)
      get_target_property(schema_file ${arg_SCHEMA} MYOPS_FILE)
      set(schema_option --schema "${schema_file}")
    endif()
    add_custom_command(OUTPUT "${finished}" DEPENDS ${arg_NAME} ${schema_file} ${MYOPS_STAMP_DEPENDS} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory "${arg_OUTPUT_DIRECTORY}"
      COMMAND ${CMAKE_COMMAND} -E rm -f "${finished}"
      COMMAND myops::cli stamp "$<TARGET_FILE:${arg_NAME}>" --output "${finished}" --torch "${TorchCore_LIBRARY_DIR}"
              --name "${arg_NAME}" --version "${arg_VERSION}" --namespace "${arg_NAMESPACE}" --set "${arg_SET}"
              ${level_option} ${schema_option}
      COMMENT "Stamping lib${arg_NAME}.so (${arg_KEY})")
  endif()
  add_custom_target(${arg_NAME}_stamped ALL DEPENDS "${finished}")
  if(arg_SCHEMA AND TARGET ${arg_SCHEMA}_stamped)
    add_dependencies(${arg_NAME}_stamped ${arg_SCHEMA}_stamped)
  endif()
  if(NOT arg_NO_INSTALL)
    install(FILES "${finished}" DESTINATION "${MYOPS_PLUGIN_FOLDER}" COMPONENT ${arg_NAME})
  endif()
endfunction()

set(MYOPS_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
