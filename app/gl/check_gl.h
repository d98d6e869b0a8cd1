// What OpenGL refused, as an Error.
#pragma once

namespace headscope {

// Throws Error when GL reports an error or the device was lost; its sentence ends with "while " + `doing`, the current
// step.
void check_gl(const char* doing);

}  // namespace headscope
