// For LD_PRELOAD: the graphics driver finds no memory in the middle of a call.
//
// HEADSCOPE_FAIL_IN_DRIVER=FILE: as soon as FILE is there, the next glClear asks for memory that nobody has, and
// std::bad_alloc leaves it, as it leaves the compiler of Mesa. What it had locked stays locked: every later call that
// is taken here waits for ever.
#include <epoxy/gl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "taken_call.h"

namespace {

std::atomic<bool> locked{false};

void wait_for_the_lock() {
  while (locked) pause();
}

void clear(GLbitfield what);
void delete_textures(GLsizei count, const GLuint* names);
void bind_texture(GLenum target, GLuint name);

Taken<PFNGLCLEARPROC> take_clear("epoxy_glClear", clear);
Taken<PFNGLDELETETEXTURESPROC> take_delete("epoxy_glDeleteTextures", delete_textures);
Taken<PFNGLBINDTEXTUREPROC> take_bind("epoxy_glBindTexture", bind_texture);

void clear(GLbitfield what) {
  wait_for_the_lock();
  const char* const path = std::getenv("HEADSCOPE_FAIL_IN_DRIVER");
  if (path != nullptr && access(path, F_OK) == 0) {
    locked = true;
    void* volatile const nothing = ::operator new(std::numeric_limits<std::size_t>::max() / 4);
    ::operator delete(nothing);
  }
  take_clear.call(what);
}

void delete_textures(GLsizei count, const GLuint* names) {
  wait_for_the_lock();
  take_delete.call(count, names);
}

void bind_texture(GLenum target, GLuint name) {
  wait_for_the_lock();
  take_bind.call(target, name);
}

}  // namespace
