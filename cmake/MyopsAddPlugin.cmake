# myops_add_plugin(NAME … SOURCES …): the one way a plugin is made.
#
#   NAME       target and file name: myops_cpu gives libmyops_cpu.so
#   SOURCES    its files
#   KEY        what it is for, for people: "CPU", "Autograd", …
#   SCHEMA     the plugin target that defines the operators (those of myops: myops::schema); absent in the schema library itself
#   NAMESPACE  operator namespace (default: myops)   SET  set of libraries released together (default: NAMESPACE)
#   VERSION    default: PROJECT_VERSION; stamping needs one
#   LEVELS     wider CPU variants of the same sources, each a library of its own, libNAME.LEVEL.so: x86-64-v2, -v3, -v4.
#              The plain library stays what it is, compiled for x86-64
#   REGISTRATIONS  sources that run when the library is opened; needed with LEVELS. They are compiled for plain x86-64 in every
#              variant and linked first: of the inline functions that several files have, the linker keeps theirs
#   CUDA_RUNTIME  version of the CUDA toolkit, for a plugin that needs CUDA: the file tells its major version only
#   LIBRARIES  further link libraries (default: TorchCore::c10 and TorchCore::torch_cpu)
#   RESERVE    bytes reserved for the manifest (default: 32768)
#   OPENMP     compile with -fopenmp: without it at::parallel_for is silently serial
#   UNITY      compile up to eight SOURCES at a time as one: a third of the time where they include much of torch. They share
#              their file scope
#   OUTPUT_DIRECTORY  where the finished file goes (default: the plugin folder of the build tree)
#   NO_INSTALL   not part of an install (tests)   NO_STAMP  leave the manifest empty (tests)
#
# The linker writes unstamped/libNAME.so; `myops stamp` opens that in a child process, measures what it registers and writes the
# finished file with its manifest. A plugin whose registration would kill a process fails the build there. Target NAME is the
# linked file, target NAME_stamped the finished one; property MYOPS_FILE of NAME is its path.
function(myops_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg "OPENMP;UNITY;NO_INSTALL;NO_STAMP"
    "NAME;KEY;SCHEMA;NAMESPACE;SET;VERSION;CUDA_RUNTIME;RESERVE;OUTPUT_DIRECTORY" "SOURCES;REGISTRATIONS;LEVELS;LIBRARIES")
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
  foreach(source IN LISTS arg_SOURCES arg_REGISTRATIONS)
    if(NOT source MATCHES "\\.")
      message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): ${source} is neither a source file nor an option")
    endif()
    if(source MATCHES "\\.cu$")
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  if(arg_SCHEMA AND NOT TARGET ${arg_SCHEMA})
    message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): SCHEMA ${arg_SCHEMA} is no plugin made before it")
  endif()
  if(arg_LEVELS AND NOT arg_REGISTRATIONS)
    message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): LEVELS needs REGISTRATIONS, which must run on any CPU")
  endif()
  foreach(level IN LISTS arg_LEVELS)
    if(NOT level MATCHES "^x86-64-v[234]$")
      message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): ${level} in LEVELS is none of x86-64-v2, x86-64-v3, x86-64-v4")
    endif()
  endforeach()
  if(NOT arg_VERSION AND NOT arg_NO_STAMP AND TARGET myops::cli)
    message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): its manifest tells a version: project(… VERSION 1.0), or VERSION here")
  endif()
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT is_multi_config)
    message(NOTICE "myops_add_plugin(${arg_NAME}): CMAKE_BUILD_TYPE is not set, and so nothing is optimised: Release is what is shipped")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "ASM" IN_LIST languages)
    message(FATAL_ERROR "myops_add_plugin(${arg_NAME}): the room for the manifest is made by an assembler: project(… LANGUAGES CXX ASM)")
  endif()
  if(NOT arg_SET)
    set(arg_SET "${arg_NAMESPACE}")
  endif()
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES TorchCore::c10 TorchCore::torch_cpu)
  endif()

  set(schema_file "")
  if(arg_SCHEMA)
    get_target_property(schema_file ${arg_SCHEMA} MYOPS_FILE)
    get_target_property(aliased ${arg_SCHEMA} ALIASED_TARGET)
    if(aliased)
      set(arg_SCHEMA ${aliased})
    endif()
  endif()
  if(NOT arg_LEVELS)
    _myops_plugin_library(${arg_NAME} SOURCES ${arg_REGISTRATIONS} ${arg_SOURCES})
  else()
    add_library(${arg_NAME}.registrations OBJECT ${arg_REGISTRATIONS})
    _myops_plugin_code(${arg_NAME}.registrations)
    set_target_properties(${arg_NAME}.registrations PROPERTIES UNITY_BUILD OFF)
    target_compile_options(${arg_NAME}.registrations PRIVATE -march=x86-64)  # whatever the compiler's own default is
    _myops_plugin_library(${arg_NAME} SOURCES $<TARGET_OBJECTS:${arg_NAME}.registrations> ${arg_SOURCES})
    target_compile_options(${arg_NAME} PRIVATE -march=x86-64)
  endif()
  set(description --version "${arg_VERSION}" --name "${arg_NAME}" --namespace "${arg_NAMESPACE}" --set "${arg_SET}")
  if(schema_file)
    list(APPEND description --schema "${schema_file}")
  endif()
  if(arg_CUDA_RUNTIME)
    list(APPEND description --cuda-runtime "${arg_CUDA_RUNTIME}")
  endif()
  _myops_plugin_file(${arg_NAME} DEPENDS ${schema_file} STAMP ${description})
  if(arg_SCHEMA AND TARGET ${arg_SCHEMA}_stamped)
    add_dependencies(${arg_NAME}_stamped ${arg_SCHEMA}_stamped)
  endif()

  get_target_property(plain_file ${arg_NAME} MYOPS_FILE)
  foreach(level IN LISTS arg_LEVELS)
    set(variant "${arg_NAME}.${level}")
    add_library(${variant}.code OBJECT ${arg_SOURCES})
    _myops_plugin_code(${variant}.code)
    target_compile_options(${variant}.code PRIVATE -march=${level} $<$<STREQUAL:${level},x86-64-v4>:-mprefer-vector-width=512>)
    _myops_plugin_library(${variant}
      SOURCES $<TARGET_OBJECTS:${arg_NAME}.registrations> $<TARGET_OBJECTS:${variant}.code>)
    target_link_options(${variant} PRIVATE "LINKER:-z,${level}")
    # What it registers is what the plain one does; this machine may be unable to open it.
    _myops_plugin_file(${variant} DEPENDS "${plain_file}" STAMP --from "${plain_file}" --level ${level})
    add_dependencies(${variant}_stamped ${arg_NAME}_stamped)
  endforeach()
endfunction()

# How the code of a plugin is compiled. Reads the arguments of myops_add_plugin, as do the two below.
function(_myops_plugin_code target)
  target_link_libraries(${target} PRIVATE myops_plugin_flags myops_warnings ${arg_LIBRARIES})
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
  if(arg_OPENMP)
    target_compile_options(${target} PRIVATE -fopenmp)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${arg_UNITY}" UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# The shared object that is linked, with an empty manifest.
function(_myops_plugin_library target)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "" SOURCES)
  set(note "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_note.S")
  set(MYOPS_NOTE_BYTES "${arg_RESERVE}")
  configure_file("${MYOPS_CMAKE_DIR}/manifest_note.S.in" "${note}" @ONLY)
  add_library(${target} MODULE ${library_SOURCES} "${note}")
  _myops_plugin_code(${target})
  target_link_options(${target} PRIVATE "LINKER:--version-script=${MYOPS_CMAKE_DIR}/plugin.map" $<$<BOOL:${arg_OPENMP}>:-fopenmp>)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${MYOPS_CMAKE_DIR}/plugin.map")
  set_target_properties(${target} PROPERTIES
    PREFIX lib SUFFIX .so LINKER_LANGUAGE CXX
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/unstamped")
endfunction()

# The finished file: stamped with the arguments given, or as it is where there is no `myops stamp`.
function(_myops_plugin_file target)
  cmake_parse_arguments(PARSE_ARGV 1 file "" "" "DEPENDS;STAMP")
  set(finished "${arg_OUTPUT_DIRECTORY}/lib${target}.so")
  set_target_properties(${target} PROPERTIES MYOPS_FILE "${finished}")
  if(arg_NO_STAMP OR NOT TARGET myops::cli)
    add_custom_command(OUTPUT "${finished}" DEPENDS ${target} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory "${arg_OUTPUT_DIRECTORY}"
      COMMAND ${CMAKE_COMMAND} -E copy "$<TARGET_FILE:${target}>" "${finished}"
      COMMENT "Placing lib${target}.so (unstamped)")
  else()
    add_custom_command(OUTPUT "${finished}" DEPENDS ${target} ${file_DEPENDS} ${MYOPS_STAMP_DEPENDS} VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory "${arg_OUTPUT_DIRECTORY}"
      COMMAND ${CMAKE_COMMAND} -E rm -f "${finished}"
      COMMAND myops::cli stamp "$<TARGET_FILE:${target}>" --output "${finished}" --torch "${TorchCore_LIBRARY_DIR}" ${file_STAMP}
      COMMENT "Stamping lib${target}.so (${arg_KEY})")
  endif()
  add_custom_target(${target}_stamped ALL DEPENDS "${finished}")
  if(NOT arg_NO_INSTALL)
    myops_install(COMPONENT ${target} DESTINATION "${MYOPS_PLUGIN_FOLDER}" PROGRAMS "${finished}")
    set_property(GLOBAL APPEND PROPERTY MYOPS_INSTALLED_TARGETS ${target}_stamped)
  endif()
endfunction()

set(MYOPS_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")
include("${MYOPS_CMAKE_DIR}/MyopsInstall.cmake")
