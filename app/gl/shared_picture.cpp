#include "app/gl/shared_picture.h"

#include <epoxy/gl.h>

#include <utility>

#include "app/gl/compute_buffer.h"
#include "app/gl/driver_call.h"
#include "app/gl/gl_state.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

// Texels of a part of the texture, row by row, by the framebuffer `framebuffer`, which is bound for reading.
template <typename Texel>
std::vector<Texel> texels_of(const GlTexture& texture, Range rows, Range columns, GLenum layout, GLenum type) {
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.name(), 0);
  std::vector<Texel> texels(static_cast<std::size_t>(rows.size() * columns.size()));
  in_driver([&] {
    glReadPixels(static_cast<GLint>(columns.begin), static_cast<GLint>(rows.begin),
                 static_cast<GLsizei>(columns.size()), static_cast<GLsizei>(rows.size()), layout, type, texels.data());
  });
  return texels;
}

PooledPixels pixels_of(const GlTexture& values, const GlTexture& hidden, Range rows, Range columns) {
  const GlStateGuard guard;
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  PooledPixels pixels(rows.size(), columns.size());
  pixels.values = texels_of<float>(values, rows, columns, GL_RED, GL_FLOAT);
  const auto bytes = texels_of<std::uint8_t>(hidden, rows, columns, GL_RED_INTEGER, GL_UNSIGNED_BYTE);
  for (std::size_t i = 0; i < bytes.size(); ++i) pixels.counts[i] = bytes[i] != 0 ? 0 : 1;
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glDeleteFramebuffers(1, &framebuffer);
  return pixels;
}

}  // namespace

SharedPicture::SharedPicture(std::unique_ptr<GlTexture> values, std::unique_ptr<GlTexture> hidden,
                             std::vector<RowExtent> extents, std::shared_ptr<TextureShare> share,
                             RunOnDevice run_on_device)
    : DevicePicture(values->height(), values->width(), std::move(extents)),
      values_(std::move(values)),
      hidden_(std::move(hidden)),
      share_(std::move(share)),
      run_on_device_(std::move(run_on_device)),
      fence_(glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0)) {
  glFlush();  // a fence that was not sent off is never reached
  share_->count({.made = 1, .extents = 2 * rows});
}

SharedPicture::~SharedPicture() {
  share_->give_back_texture(values_->release());
  share_->give_back_texture(hidden_->release());
  if (fence_ != nullptr) share_->give_back_fence(fence_);
}

const GlTexture& SharedPicture::wait_and_get(const GlTexture& texture) const {
  HEADSCOPE_ASSERT(share_->on_window_thread(), "a shared texture is drawn by the window");
  const std::lock_guard lock(mutex_);
  if (fence_ != nullptr) {
    glWaitSync(static_cast<GLsync>(fence_), 0, GL_TIMEOUT_IGNORED);
    glDeleteSync(static_cast<GLsync>(std::exchange(fence_, nullptr)));
  }
  return texture;
}

PooledPixels SharedPicture::read(Range row_range, Range column_range) const {
  HEADSCOPE_ASSERT(
      0 <= row_range.begin && row_range.end <= rows && 0 <= column_range.begin && column_range.end <= columns,
      std::to_string(rows) + " x " + std::to_string(columns));
  share_->count({.brought_back = row_range.size() * column_range.size()});
  if (share_->on_window_thread()) return pixels_of(values(), hidden(), row_range, column_range);
  PooledPixels pixels;
  run_on_device_([&] {
    pixels = pixels_of(*values_, *hidden_, row_range, column_range);
    check_gl("reading a picture");
  });
  return pixels;
}

}  // namespace headscope
