#include "app/gl/check_gl.h"

#include <epoxy/gl.h>

#include <string>

#include "app/gl/lost_context.h"
#include "core/base/error.h"

namespace headscope {

void check_gl(const char* doing) {
  const GLenum error = next_gl_error();
  if (error == GL_NO_ERROR) return;
  const char* words = error == GL_OUT_OF_MEMORY  ? "out of memory"
                      : error == GL_CONTEXT_LOST ? "the device was lost"
                                                 : "an error";
  throw Error(std::string("The graphics driver reported ") + words + " (" + std::to_string(error) + ") while " + doing +
              ".");
}

}  // namespace headscope
