#include "app/gl/program.h"

#include <epoxy/gl.h>

#include "app/gl/shader_sources.h"
#include "core/error.h"

namespace headscope {
namespace {

std::string log_of(GLuint object, bool is_program) {
  GLint length = 0;
  is_program ? glGetProgramiv(object, GL_INFO_LOG_LENGTH, &length) : glGetShaderiv(object, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length > 0 ? length : 0), '\0');
  if (length > 0) {
    is_program ? glGetProgramInfoLog(object, length, nullptr, log.data())
               : glGetShaderInfoLog(object, length, nullptr, log.data());
  }
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

// The caller deletes it, also after a refusal.
GLuint compiled(GLenum kind, const std::string& file, const std::string& define) {
  std::string text = shader_text(file);
  // Nothing may stand before the first line, which is #version.
  if (!define.empty()) text.insert(text.find('\n') + 1, "#define " + define + "\n#line 2\n");
  const char* source = text.c_str();
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint ok = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok != GL_TRUE) {
    const std::string log = log_of(shader, false);
    glDeleteShader(shader);
    throw Error("The graphics driver refused shaders/" + file + ": " + log);
  }
  return shader;
}

}  // namespace

GlProgram::GlProgram(const std::string& vertex, const std::string& fragment, const std::string& define) {
  const GLuint vertex_shader = compiled(GL_VERTEX_SHADER, vertex, define);
  GLuint fragment_shader = 0;
  try {
    fragment_shader = compiled(GL_FRAGMENT_SHADER, fragment, define);
  } catch (...) {
    glDeleteShader(vertex_shader);
    throw;
  }
  name_ = glCreateProgram();
  glAttachShader(name_, vertex_shader);
  glAttachShader(name_, fragment_shader);
  glBindFragDataLocation(name_, 0, "color");
  glLinkProgram(name_);
  glDeleteShader(vertex_shader);
  glDeleteShader(fragment_shader);
  GLint ok = GL_FALSE;
  glGetProgramiv(name_, GL_LINK_STATUS, &ok);
  if (ok != GL_TRUE) {
    const std::string log = log_of(name_, true);
    glDeleteProgram(name_);
    throw Error("The graphics driver refused to link shaders/" + vertex + " with shaders/" + fragment + ": " + log);
  }
}

GlProgram::~GlProgram() {
  glDeleteProgram(name_);
}

int GlProgram::uniform(const char* uniform_name) const {
  return glGetUniformLocation(name_, uniform_name);
}

}  // namespace headscope
