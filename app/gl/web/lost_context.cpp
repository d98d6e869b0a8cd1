// WebGL answers glGetError() only when all commands before it are done, which costs more than a whole frame: it is not
// asked. The browser itself tells whether a context is lost, at no cost; what it has no memory for loses the context,
// too.
#include "app/gl/lost_context.h"

#include <emscripten/html5.h>
#include <epoxy/gl.h>

namespace headscope {

unsigned next_gl_error() {
  return context_is_lost() ? GL_CONTEXT_LOST : GL_NO_ERROR;
}

void forget_gl_errors() {}

bool context_is_lost() {
  return emscripten_is_webgl_context_lost(emscripten_webgl_get_current_context()) == EM_TRUE;
}

void a_new_context_begins() {}

}  // namespace headscope
