// The dialect of GLSL that the driver speaks: shaders/ is written in that of OpenGL.
#pragma once

#include <string>

namespace headscope {

// The first line of every shader, for who makes shaders of his own.
const char* shader_version();

// The text of a shader of shaders/ in this dialect; its lines keep their numbers in what the driver complains of.
std::string in_dialect(std::string text);

}  // namespace headscope
