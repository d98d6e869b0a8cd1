// The device that computes: its context, its limits, its shaders and buffers. Everything here belongs to the thread on
// which it was made.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/gl/compute_buffer.h"
#include "app/gl/compute_kernels.h"
#include "app/gl/compute_parts.h"
#include "app/gl/compute_staging.h"
#include "app/gl/device_weights.h"
#include "app/gl/gpu_options.h"
#include "app/gl/pixel_kernels.h"
#include "core/base/thread_pool.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct ComputeBuffers {
  ComputeBuffer left, right, bias, result;        // of products: query, key and scores are the first, second, last
  ComputeBuffer value, context;                   // of attention
  ComputeBuffer added, maxima, sums, all_hidden;  // one number a cell, then one a row
  ComputeBuffer ones, totals;                     // of weight_totals
  std::int64_t ones_count = 0;                    // how many numbers of `ones` are 1
  ComputeBuffer draws, factors;                   // of dropout: two words a row, one number a cell
  ComputeMask mask;
  ComputeBuffer canvas_values, canvas_counts, extents;  // of pictures
};

struct ComputeDevice {
  // Throws Error when there is no OpenGL 4.3 or a shader is refused.
  explicit ComputeDevice(const GpuOptions& options);

  // Whether that many numbers fit into one buffer.
  bool holds(std::int64_t numbers) const { return numbers <= limits.numbers_per_buffer; }
  // Whether one dispatch can compute that many sums of `depth` products: they are not too much work, or too few to be
  // cut further.
  bool takes(std::int64_t sums, std::int64_t depth) const;
  // Calls ComputeBuffer::forget() on the buffers: uploaded tensors may change afterwards.
  void forget();
  // Made when they are first needed. Throws Error when the driver refuses a shader.
  const PixelKernels& pixel_kernels();

  const std::unique_ptr<OffscreenContext> context;
  const std::string renderer;
  ComputeLimits limits;
  ThreadPool threads{0};  // of the program, for what they do while the device computes
  std::optional<ComputeKernels> kernels;
  std::optional<ComputeStaging> staging;  // empty where the driver has no memory that both see
  std::optional<ComputeBuffers> buffers;
  std::optional<DeviceWeights> weights;

 private:
  std::optional<PixelKernels> pixel_kernels_;
};

// The number of work groups along one axis of a dispatch that every OpenGL 4.3 allows.
constexpr std::int64_t kMostGroups = 65535;

// Reads `part` of the writable tensor `to` from the buffer, which holds it row-major. The last axis of `to` has no
// gaps.
void read_part(const ComputeBuffer& buffer, const Region& part, Tensor& to);

// `region` counted from the beginning of `origin`.
Region shifted(const Region& region, const Region& origin);

}  // namespace headscope
