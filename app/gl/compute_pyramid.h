// Pictures of scores and weights that are pooled on the device, for a window whose context shares textures with the
// device's.
#pragma once

#include <functional>
#include <memory>

#include "app/gl/compute_device.h"
#include "app/gl/texture_share.h"
#include "core/backend/device_backend.h"
#include "core/backend/device_pyramid.h"

namespace headscope {

// Runs work on the device's thread and returns when it is done; its errors are BackendErrors.
using RunOnDevice = std::function<void(const std::function<void(ComputeDevice&)>& work)>;

struct PyramidDevice {
  const void* identity;  // equal for pyramids of the same device
  bool is_card;          // and no driver that computes on the processor
};

// The context of `device` shares textures through `share`. `run_if_there` does not keep the
// device alive and throws Error when it is gone: pictures use it, because a window may draw them longer than the device
// exists.
std::shared_ptr<const DevicePyramid> make_compute_pyramid(RunOnDevice run, RunOnDevice run_if_there,
                                                          PyramidDevice device, std::shared_ptr<TextureShare> share,
                                                          ScoreMatrix matrix);

}  // namespace headscope
