#include "app/gl/program.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <initializer_list>

#include "app/gl/driver_call.h"
#include "app/gl/shader_dialect.h"
#include "app/gl/shader_sources.h"
#include "core/base/error.h"

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

// GLSL has no #include: each line `#include "FILE"` becomes that file's text. The lines after it keep their numbers.
std::string with_includes(const std::string& text) {
  const std::string directive = "#include \"";
  std::string result;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    ++number;
    if (line.starts_with(directive)) {
      const std::string file = line.substr(directive.size(), line.rfind('"') - directive.size());
      result += "#line 1\n" + shader_text(file) + "#line " + std::to_string(number + 1) + "\n";
    } else {
      result += line;
    }
    begin = end;
  }
  return result;
}

// The caller deletes it, also after a refusal.
GLuint compiled(GLenum kind, const std::string& file, const std::string& define) {
  std::string text = in_dialect(with_includes(shader_text(file)));
  // Nothing may stand before the first line, which is #version.
  if (!define.empty()) text.insert(text.find('\n') + 1, "#define " + define + "\n#line 2\n");
  const char* source = text.c_str();
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  in_driver([&] { glCompileShader(shader); });
  GLint ok = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
  if (ok != GL_TRUE) {
    const std::string log = log_of(shader, false);
    glDeleteShader(shader);
    throw Error("The graphics driver refused shaders/" + file + ": " + log);
  }
  return shader;
}

// Deletes the shaders. Throws Error that calls them `words`.
GLuint linked(std::initializer_list<GLuint> shaders, const std::string& words) {
  const GLuint program = glCreateProgram();
  for (const GLuint shader : shaders) glAttachShader(program, shader);
  in_driver([&] { glLinkProgram(program); });
  for (const GLuint shader : shaders) glDeleteShader(shader);
  GLint ok = GL_FALSE;
  glGetProgramiv(program, GL_LINK_STATUS, &ok);
  if (ok != GL_TRUE) {
    const std::string log = log_of(program, true);
    glDeleteProgram(program);
    throw Error("The graphics driver refused to link " + words + ": " + log);
  }
  return program;
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
  name_ = linked({vertex_shader, fragment_shader}, "shaders/" + vertex + " with shaders/" + fragment);
}

#ifdef GL_COMPUTE_SHADER  // WebGL has none
GlProgram::GlProgram(const ComputeShader& shader)
    : name_(linked({compiled(GL_COMPUTE_SHADER, shader.file, shader.define)}, "shaders/" + shader.file)) {}
#endif

GlProgram::~GlProgram() {
  glDeleteProgram(name_);
}

int GlProgram::uniform(const char* uniform_name) const {
  return glGetUniformLocation(name_, uniform_name);
}

}  // namespace headscope
