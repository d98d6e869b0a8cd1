# Writes one C++ file that holds every shader as a string: cmake -DOUT=... -DFILES="a;b" -P shaders/embed.cmake
set(body "// Made from shaders/ by shaders/embed.cmake.\n#include \"app/gl/shader_sources.h\"\n\nnamespace headscope {\n\nconst std::vector<ShaderSource>& shader_sources() {\n  static const std::vector<ShaderSource> sources = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND body "      {\"${name}\", R\"glsl(${text})glsl\"},\n")
endforeach()
string(APPEND body "  };\n  return sources;\n}\n\n}  // namespace headscope\n")
file(WRITE "${OUT}" "${body}")
