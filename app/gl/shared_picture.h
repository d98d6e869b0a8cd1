// A picture that the computing context wrote into textures that it shares with the window's context.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "app/gl/texture.h"
#include "app/gl/texture_share.h"
#include "core/backend/device_pyramid.h"

namespace headscope {

class SharedPicture : public DevicePicture {
 public:
  // Runs work on the thread of the computing context, and returns when it is done.
  using RunOnDevice = std::function<void(const std::function<void()>& work)>;

  // [rows, columns] texels each: values, and 1 where a pixel is hidden. Called on the device's thread, after the
  // commands that fill them.
  SharedPicture(std::unique_ptr<GlTexture> values, std::unique_ptr<GlTexture> hidden, std::vector<RowExtent> extents,
                std::shared_ptr<TextureShare> share, RunOnDevice run_on_device);
  ~SharedPicture() override;

  // On the window's thread this uses only the window's context and does not wait for other work of the device.
  PooledPixels read(Range row_range, Range column_range) const override;

  const std::shared_ptr<TextureShare>& share() const { return share_; }
  // The textures for the window's context: its later commands wait until the textures are filled.
  const GlTexture& values() const { return wait_and_get(*values_); }
  const GlTexture& hidden() const { return wait_and_get(*hidden_); }
  // The same for the context that filled them.
  const GlTexture& own_values() const { return *values_; }
  const GlTexture& own_hidden() const { return *hidden_; }

 private:
  const GlTexture& wait_and_get(const GlTexture& texture) const;

  const std::unique_ptr<GlTexture> values_, hidden_;
  const std::shared_ptr<TextureShare> share_;
  const RunOnDevice run_on_device_;
  mutable std::mutex mutex_;
  mutable void* fence_ = nullptr;  // null once the window's context waits for it
};

}  // namespace headscope
