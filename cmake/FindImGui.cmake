# Dear ImGui with its GLFW and OpenGL 3 backends, as target ImGui::ImGui.
#
# Package config first (vcpkg: imgui::imgui with the features glfw-binding and opengl3-binding), then pkg-config and
# plain search (Debian's libimgui-dev, whose static library holds the backends).
# Sets ImGui_FOUND and ImGui_VERSION.
find_package(imgui CONFIG QUIET)

function(headscope_imgui_version header result)
  file(STRINGS "${header}" line REGEX "^#define IMGUI_VERSION +\"")
  string(REGEX REPLACE ".*\"([0-9.]+[a-z]?).*" "\\1" version "${line}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

if(TARGET imgui::imgui)
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
  find_path(ImGui_BACKEND_DIR imgui_impl_glfw.h
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
    # Debian builds ImGui against its shared libstb; the archive's own needs (stb, freetype, glfw, dl) come after it.
    set(_imgui_needs glfw ${CMAKE_DL_LIBS})
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
