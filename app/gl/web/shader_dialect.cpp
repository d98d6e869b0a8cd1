#include "app/gl/shader_dialect.h"

namespace headscope {

const char* shader_version() {
  return "#version 300 es";
}

std::string in_dialect(std::string text) {
  // Extensions are those of OpenGL; the shaders do without, and WebGL wants none to be named after the first statement.
  const std::string extension = "#extension ";
  for (std::size_t at = text.find(extension); at != text.npos; at = text.find(extension, at)) text.replace(at, 2, "//");
  text.replace(0, text.find('\n') + 1,
               std::string(shader_version()) +
                   "\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n"
                   "precision highp usampler2D;\n#line 2\n");
  return text;
}

}  // namespace headscope
