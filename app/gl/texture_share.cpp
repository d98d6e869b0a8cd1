#include "app/gl/texture_share.h"

#include <epoxy/gl.h>

#include <utility>

namespace headscope {

void TextureShare::give_back_texture(unsigned name) {
  const std::lock_guard lock(mutex_);
  textures_.push_back(name);
}

void TextureShare::give_back_buffer(unsigned name) {
  const std::lock_guard lock(mutex_);
  buffers_.push_back(name);
}

void TextureShare::give_back_fence(void* fence) {
  const std::lock_guard lock(mutex_);
  fences_.push_back(fence);
}

void TextureShare::collect() {
  std::vector<unsigned> textures, buffers;
  std::vector<void*> fences;
  {
    const std::lock_guard lock(mutex_);
    textures = std::exchange(textures_, {});
    buffers = std::exchange(buffers_, {});
    fences = std::exchange(fences_, {});
  }
  if (!textures.empty()) glDeleteTextures(static_cast<GLsizei>(textures.size()), textures.data());
  if (!buffers.empty()) glDeleteBuffers(static_cast<GLsizei>(buffers.size()), buffers.data());
  for (void* fence : fences) glDeleteSync(static_cast<GLsync>(fence));
}

TextureShare::Counts TextureShare::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void TextureShare::count(const Counts& more) {
  const std::lock_guard lock(mutex_);
  counts_.made += more.made;
  counts_.drawn += more.drawn;
  counts_.brought_back += more.brought_back;
  counts_.extents += more.extents;
}

}  // namespace headscope
