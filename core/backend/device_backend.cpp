#include "core/backend/device_backend.h"

#include "core/backend/device_pyramid.h"

namespace headscope {

std::shared_ptr<const DevicePyramid> device_pyramid_of(const Backend& backend, const ScoreMatrix& matrix) {
  const auto* device = dynamic_cast<const DeviceBackend*>(&backend);
  return device != nullptr ? device->device_pyramid(matrix) : nullptr;
}

}  // namespace headscope
