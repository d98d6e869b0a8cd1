// What a backend may offer beside the steps of attention: pictures of its matrices that stay on its device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/backend/backend.h"

namespace headscope {

class DevicePyramid;

// A part of a row whose cells are not what they would be computed as, because somebody changed them or what they follow
// from.
struct ChangedRow {
  std::int64_t row = 0;
  std::vector<float> cells;
};

// One matrix of raw_scores ... dropped_weights, by what its cells are computed from.
struct ScoreMatrix {
  StageId stage = StageId::weights;
  Tensor query, key;
  ScoreRule rule;
  std::int64_t batch = 0, head = 0;
  // Of these rows, [1, 1, rows]; asked for only when weights are wanted.
  std::function<RowStatistics(const Range& queries, const CancelToken& cancel)> statistics;
  // Those of `queries` that are changed, in order, each with its cells of `keys`. Null: none ever is.
  std::function<std::vector<ChangedRow>(const Range& queries, const Range& keys, const CancelToken& cancel)>
      changed_rows = nullptr;
};

// A Backend that is one of these too has a device.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  // Null where pixels would have to come back first, because no window draws from this device.
  virtual std::shared_ptr<const DevicePyramid> device_pyramid(const ScoreMatrix& matrix) const = 0;
};

// What `backend` offers; null when it has no device.
std::shared_ptr<const DevicePyramid> device_pyramid_of(const Backend& backend, const ScoreMatrix& matrix);

}  // namespace headscope
