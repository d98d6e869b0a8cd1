// Whether the driver has lost a context: a card that was reset, taken away or hung takes all that was drawn with it.
#pragma once

namespace headscope {

// glGetError(). A GL_CONTEXT_LOST is remembered for context_is_lost(), whoever asked for the error. Every file of this
// folder asks here.
unsigned next_gl_error();

// Takes all errors that wait.
void forget_gl_errors();

// Whether the context that is current on this thread was lost: by what the driver says of resets (OpenGL 4.5,
// GL_KHR_robustness, GL_ARB_robustness), or by an error since a_new_context_begins(). Nothing that such a context gives
// or draws is worth anything. Cheap enough for every frame.
bool context_is_lost();

// Another context is current on this thread from now on.
void a_new_context_begins();

}  // namespace headscope
