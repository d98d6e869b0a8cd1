// The files of shaders/, embedded when the program is built.
#pragma once

#include <string>
#include <vector>

namespace headscope {

struct ShaderSource {
  const char* name;  // "heatmap.frag"
  const char* text;
};
const std::vector<ShaderSource>& shader_sources();

// The text of shaders/NAME: from the folder that the environment variable HEADSCOPE_SHADERS names (while editing), else
// the embedded one. Asserts that the name exists.
std::string shader_text(const std::string& name);

}  // namespace headscope
