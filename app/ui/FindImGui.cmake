# Dear ImGui with its OpenGL 3 backend, as target ImGui::ImGui.
#
# HEADSCOPE_IMGUI_SOURCE first: a checkout of Dear ImGui, compiled here. Then a package config (vcpkg: imgui::imgui with
# the feature opengl3-binding), then pkg-config and plain search (Debian's libimgui-dev, whose static library holds the
# backends).
# Sets ImGui_FOUND and ImGui_VERSION.
if(NOT HEADSCOPE_IMGUI_SOURCE)
  find_package(imgui CONFIG QUIET)
endif()

set(_imgui_sources imgui.cpp imgui_draw.cpp imgui_tables.cpp imgui_widgets.cpp backends/imgui_impl_opengl3.cpp)
function(headscope_imgui_version header result)
  file(STRINGS "${header}" line REGEX "^#define IMGUI_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9.]+[a-z]?).*" "\\1" version "${line}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

if(HEADSCOPE_IMGUI_SOURCE)
  set(ImGui_LIBRARY headscope_imgui)
  if(NOT EXISTS "${HEADSCOPE_IMGUI_SOURCE}/imgui.cpp")
    message(FATAL_ERROR "HEADSCOPE_IMGUI_SOURCE=${HEADSCOPE_IMGUI_SOURCE} holds no imgui.cpp: it must be a checkout of Dear ImGui.")
  endif()
  headscope_imgui_version("${HEADSCOPE_IMGUI_SOURCE}/imgui.h" ImGui_VERSION)
  if(NOT TARGET headscope_imgui)
    list(TRANSFORM _imgui_sources PREPEND "${HEADSCOPE_IMGUI_SOURCE}/")
    add_library(headscope_imgui STATIC ${_imgui_sources})
    target_include_directories(headscope_imgui SYSTEM PUBLIC "${HEADSCOPE_IMGUI_SOURCE}" "${HEADSCOPE_IMGUI_SOURCE}/backends")
    target_link_libraries(headscope_imgui PRIVATE ${CMAKE_DL_LIBS})
    target_compile_options(headscope_imgui PRIVATE -w)  # its warnings are its authors'
    add_library(ImGui::ImGui ALIAS headscope_imgui)
  endif()
elseif(TARGET imgui::imgui)
  get_target_property(_imgui_includes imgui::imgui INTERFACE_INCLUDE_DIRECTORIES)
  find_file(ImGui_HEADER imgui.h PATHS ${_imgui_includes} NO_DEFAULT_PATH)
  headscope_imgui_version("${ImGui_HEADER}" ImGui_VERSION)
  if(NOT TARGET ImGui::ImGui)
    add_library(ImGui::ImGui INTERFACE IMPORTED)
    target_link_libraries(ImGui::ImGui INTERFACE imgui::imgui)
  endif()
  set(ImGui_LIBRARY imgui::imgui)
else()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(PC_IMGUI QUIET imgui)
  endif()
  find_path(ImGui_INCLUDE_DIR imgui.h HINTS ${PC_IMGUI_INCLUDE_DIRS} PATH_SUFFIXES imgui)
  find_path(ImGui_BACKEND_DIR imgui_impl_opengl3.h
            HINTS ${ImGui_INCLUDE_DIR}/backends ${ImGui_INCLUDE_DIR} PATH_SUFFIXES imgui/backends imgui)
  find_library(ImGui_LIBRARY NAMES imgui HINTS ${PC_IMGUI_LIBRARY_DIRS})
  if(ImGui_INCLUDE_DIR AND EXISTS "${ImGui_INCLUDE_DIR}/imgui.h")
    headscope_imgui_version("${ImGui_INCLUDE_DIR}/imgui.h" ImGui_VERSION)
  endif()
endif()

include(FindPackageHandleStandardArgs)
if(TARGET ImGui::ImGui)
  find_package_handle_standard_args(ImGui REQUIRED_VARS ImGui_LIBRARY VERSION_VAR ImGui_VERSION)
else()
  find_package_handle_standard_args(ImGui REQUIRED_VARS ImGui_LIBRARY ImGui_INCLUDE_DIR ImGui_BACKEND_DIR
                                    VERSION_VAR ImGui_VERSION)
  if(ImGui_FOUND)
    # Debian builds ImGui against its shared libstb; the archive's own needs (stb, freetype, dl) come after it.
    set(_imgui_needs ${CMAKE_DL_LIBS})
    find_library(ImGui_STB_LIBRARY NAMES stb)
    if(ImGui_STB_LIBRARY)
      list(PREPEND _imgui_needs "${ImGui_STB_LIBRARY}")
    endif()
    add_library(ImGui::ImGui UNKNOWN IMPORTED)
    set_target_properties(ImGui::ImGui PROPERTIES
      IMPORTED_LOCATION "${ImGui_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${ImGui_INCLUDE_DIR};${ImGui_BACKEND_DIR}"
      INTERFACE_LINK_LIBRARIES "${_imgui_needs}")
  endif()
endif()
mark_as_advanced(ImGui_HEADER ImGui_INCLUDE_DIR ImGui_BACKEND_DIR ImGui_LIBRARY ImGui_STB_LIBRARY)
