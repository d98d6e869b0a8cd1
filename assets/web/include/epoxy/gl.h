// In libepoxy's place in a browser: WebGL 2, which is OpenGL ES 3.0 as emscripten has it.
#pragma once

#include <GLES3/gl3.h>

#define GL_CONTEXT_LOST 0x0507
// WebGL has no such switch; in its place stands one that is always off here.
#define GL_FRAMEBUFFER_SRGB GL_STENCIL_TEST
