// One linked program: two shaders that draw, or one compute shader.
#pragma once

#include <string>

namespace headscope {

// shaders/FILE for GLSL 4.30, with `#define DEFINE` when it is not empty.
struct ComputeShader {
  std::string file, define;
};

class GlProgram {
 public:
  // Compiles shaders/VERTEX and shaders/FRAGMENT for GLSL 3.30, both with `#define DEFINE` when it is not empty. Throws
  // Error with the file's name and the driver's log when one is refused. A context must be current, also when the
  // program is destroyed.
  GlProgram(const std::string& vertex, const std::string& fragment, const std::string& define = "");
  // The same for a compute shader; OpenGL 4.3.
  explicit GlProgram(const ComputeShader& shader);
  ~GlProgram();
  GlProgram(const GlProgram&) = delete;
  GlProgram& operator=(const GlProgram&) = delete;

  unsigned name() const { return name_; }
  // -1 for a uniform that the driver removed as unused; setting it then has no effect.
  int uniform(const char* uniform_name) const;

 private:
  unsigned name_ = 0;
};

}  // namespace headscope
