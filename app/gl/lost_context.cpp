#include "app/gl/lost_context.h"

#include <epoxy/gl.h>

namespace headscope {
namespace {

// A driver keeps one error of a kind; one whose context is lost may give the same for ever.
constexpr int kMostErrors = 16;

thread_local bool error_said_so = false;

GLenum reset_status() {
  if (epoxy_gl_version() >= 45 || epoxy_has_gl_extension("GL_KHR_robustness")) return glGetGraphicsResetStatus();
  if (epoxy_has_gl_extension("GL_ARB_robustness")) return glGetGraphicsResetStatusARB();
  return GL_NO_ERROR;
}

}  // namespace

unsigned next_gl_error() {
  const GLenum error = glGetError();
  if (error == GL_CONTEXT_LOST) error_said_so = true;
  return error;
}

void forget_gl_errors() {
  for (int k = 0; k < kMostErrors && next_gl_error() != GL_NO_ERROR; ++k) {
  }
}

bool context_is_lost() {
  forget_gl_errors();
  return error_said_so || reset_status() != GL_NO_ERROR;
}

void a_new_context_begins() {
  error_said_so = false;
}

}  // namespace headscope
