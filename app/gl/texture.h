// A 2D texture: numbers that are read texel by texel, or a picture that may be scaled.
#pragma once

#include <cstdint>

namespace headscope {

enum class TexelFormat { rgba8, r8_integer, r32_float, rgba32_float };

class GlTexture {
 public:
  // Width and height of at least 1. `pixels`: width * height texels, row by row, `row_length` texels from one row to
  // the next (0: width); null leaves them undefined. Throws Error when the driver has no memory for it.
  // `smooth`: a picture that is averaged when shown smaller and interpolated when shown larger; at its own size the
  // pixels are unchanged.
  GlTexture(TexelFormat format, int width, int height, const void* pixels, std::int64_t row_length = 0,
            bool smooth = false);
  ~GlTexture();
  GlTexture(const GlTexture&) = delete;
  GlTexture& operator=(const GlTexture&) = delete;

  // Replaces all texels; dense rows.
  void write(const void* pixels);
  // Gives up the texture without deleting it; the caller must delete the returned name.
  unsigned release();
  unsigned name() const { return name_; }
  int width() const { return width_; }
  int height() const { return height_; }
  std::int64_t bytes() const;

 private:
  TexelFormat format_;
  int width_, height_;
  bool smooth_;
  unsigned name_ = 0;
};

// GL_MAX_TEXTURE_SIZE.
int largest_texture();

}  // namespace headscope
