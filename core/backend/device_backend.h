// What a backend with a device may offer besides the steps of attention: pictures of its matrices that stay on the
// device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/backend/backend.h"

namespace headscope {

class DevicePyramid;

// A part of a row whose cells differ from what query, key and rule give, because an intervention changed them or a
// stage before them.
struct ChangedRow {
  std::int64_t row = 0;
  std::vector<float> cells;
};

// One matrix of raw_scores ... dropped_weights, given by what its cells are computed from.
struct ScoreMatrix {
  StageId stage = StageId::weights;
  Tensor query, key;
  ScoreRule rule;
  std::int64_t batch = 0, head = 0;
  // The statistics of these rows, [1, 1, rows]; called only for weights.
  std::function<RowStatistics(const Range& queries, const CancelToken& cancel)> statistics;
  // The changed rows among `queries`, in order, each with its cells of `keys`. Null: no row is ever changed.
  std::function<std::vector<ChangedRow>(const Range& queries, const Range& keys, const CancelToken& cancel)>
      changed_rows = nullptr;
};

// A Backend with a device implements this too.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  // Null when no window draws from this device: then every pixel would have to be copied back.
  virtual std::shared_ptr<const DevicePyramid> device_pyramid(const ScoreMatrix& matrix) const = 0;
  // False from when another backend has taken over what the device did.
  virtual bool computes_on_device() const { return true; }
};

// Whether a device computes: it has enough to do only when many heads come together.
bool computes_on_device(const Backend& backend);

// The pyramid of `backend`; null when it has no device or offers none.
std::shared_ptr<const DevicePyramid> device_pyramid_of(const Backend& backend, const ScoreMatrix& matrix);

}  // namespace headscope
