#include "app/gl/compute_device.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <vector>

#include "app/gl/lost_context.h"
#include "app/gl/offscreen.h"
#include "core/base/assert.h"
#include "core/base/error.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostNumbersPerBuffer = std::int64_t{1} << 26;
// Between two looks at the cancel token: some milliseconds on a card, and on a driver that computes on the CPU.
constexpr double kProductsPerDispatch = 3e10;
constexpr double kProductsPerSoftwareDispatch = 4e6;
constexpr std::int64_t kFewSums = 4096;

// Calls copy(offset in the memory of `to`, offset in the part, count) for runs that lie in one piece in both.
template <typename Copy>
void visit_runs(const Region& part, const Tensor& to, Copy&& copy) {
  const int last = part.count - 1;
  HEADSCOPE_ASSERT(part.count == to.rank() && (to.dim(last) <= 1 || to.strides()[last] == 1),
                   "results to " + to_string(to.shape()));
  if (element_count(part) == 0) return;
  // Axes from `split` on are one piece: whole, and without gaps.
  int split = last;
  std::int64_t run = part[last].size();
  while (split > 0 && part[split].size() == to.dim(split) && to.strides()[split - 1] == run) {
    --split;
    run *= part[split].size();
  }
  Region at = part;
  for (std::int64_t done = 0;; done += run) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < part.count; ++axis) offset += at[axis].begin * to.strides()[axis];
    copy(offset, done, run);
    int axis = split - 1;
    for (; axis >= 0; --axis) {
      if (++at[axis].begin < part[axis].end) break;
      at[axis].begin = part[axis].begin;
    }
    if (axis < 0) return;
  }
}

}  // namespace

ComputeDevice::ComputeDevice(const GpuOptions& options)
    : context(options.make_context ? options.make_context() : make_offscreen_context({4, 3, true})),
      renderer(renderer_name()) {
  a_new_context_begins();
  if (options.card_only && is_software_renderer(renderer)) {
    throw Error("The graphics driver (" + renderer + ") computes on the CPU.");
  }
  kernels.emplace();
  if (ComputeStaging::is_possible() && options.stages_copies) staging.emplace(threads);
  buffers.emplace();
  for (ComputeBuffer* buffer : {&buffers->left, &buffers->right, &buffers->bias, &buffers->result, &buffers->value,
                                &buffers->context, &buffers->added, &buffers->maxima, &buffers->sums}) {
    buffer->stage_by(staging ? &*staging : nullptr);
  }
  // A driver that computes on the processor would have the same weights in the same memory twice.
  weights.emplace(is_software_renderer(renderer) && options.weight_bytes < 0 ? 0 : options.weight_bytes,
                  staging ? &*staging : nullptr);
  GLint64 bytes = 0;
  glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
  check_gl("asking for its limits");
  limits.numbers_per_buffer = std::min<std::int64_t>(bytes / 4, kMostNumbersPerBuffer);
  if (options.numbers_per_buffer > 0) {
    limits.numbers_per_buffer = std::min(limits.numbers_per_buffer, options.numbers_per_buffer);
  }
  limits.products_per_dispatch = is_software_renderer(renderer) ? kProductsPerSoftwareDispatch : kProductsPerDispatch;
}

bool ComputeDevice::takes(std::int64_t sums, std::int64_t depth) const {
  return sums <= kFewSums || static_cast<double>(sums) * static_cast<double>(depth) <= limits.products_per_dispatch;
}

void ComputeDevice::forget() {
  for (ComputeBuffer* buffer : {&buffers->left, &buffers->right, &buffers->bias, &buffers->result, &buffers->value,
                                &buffers->added, &buffers->maxima, &buffers->sums}) {
    buffer->forget();
  }
}

const PixelKernels& ComputeDevice::pixel_kernels() {
  if (!pixel_kernels_) pixel_kernels_.emplace();
  return *pixel_kernels_;
}

void read_part(const ComputeBuffer& buffer, const Region& part, Tensor& to) {
  std::vector<BufferRun> runs;
  visit_runs(part, to, [&](std::int64_t offset, std::int64_t done, std::int64_t count) {
    runs.push_back({done, count, to.mutable_data() + offset});
  });
  buffer.read(runs);
}

Region shifted(const Region& region, const Region& origin) {
  Region result;
  for (int axis = 0; axis < region.count; ++axis) {
    result.push_back({region[axis].begin - origin[axis].begin, region[axis].end - origin[axis].begin});
  }
  return result;
}

}  // namespace headscope
