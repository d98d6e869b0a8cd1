#include "core/backend/device_backend.h"

#include "core/backend/device_pyramid.h"

namespace headscope {

std::shared_ptr<const DevicePyramid> device_pyramid_of(const Backend& backend, const ScoreMatrix& matrix) {
  const auto* device = dynamic_cast<const DeviceBackend*>(&backend);
  return device != nullptr ? device->device_pyramid(matrix) : nullptr;
}

bool computes_on_device(const Backend& backend) {
  const auto* device = dynamic_cast<const DeviceBackend*>(&backend);
  return device != nullptr && device->computes_on_device();
}

}  // namespace headscope
