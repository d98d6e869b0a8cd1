#include "app/gl/compute_backend.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/gl/compute_kernels.h"
#include "app/gl/compute_thread.h"
#include "app/gl/offscreen.h"
#include "core/backend/operands.h"
#include "core/error.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostNumbersPerBuffer = std::int64_t{1} << 26;
constexpr std::int64_t kMostGroups = 65535;  // every OpenGL 4.3 allows as many work groups along an axis
// Between two looks at the cancel token: some tens of milliseconds on a card, and on a driver that computes on the CPU.
constexpr double kProductsPerDispatch = 3e10;
constexpr double kProductsPerSoftwareDispatch = 3e7;

void require_compute_shaders() {
  GLint major = 0, minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (major > 4 || (major == 4 && minor >= 3)) return;
  throw Error("This graphics driver (" + renderer_name() + ") has OpenGL " + std::to_string(major) + "." +
              std::to_string(minor) + "; compute shaders need 4.3.");
}

// Everything that lives in the context, on its thread.
struct Device {
  explicit Device(const GpuOptions& options)
      : context(options.make_context ? options.make_context() : make_offscreen_context({4, 3, true})) {
    require_compute_shaders();
    renderer = renderer_name();
    kernels.emplace();
    buffers.emplace();
    GLint64 bytes = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
    check_gl("asking for its limits");
    limits.numbers_per_buffer = std::min<std::int64_t>(bytes / 4, kMostNumbersPerBuffer);
    if (options.numbers_per_buffer > 0) {
      limits.numbers_per_buffer = std::min(limits.numbers_per_buffer, options.numbers_per_buffer);
    }
    limits.products_per_dispatch = is_software_renderer(renderer) ? kProductsPerSoftwareDispatch : kProductsPerDispatch;
  }

  struct Buffers {
    ComputeBuffer left, right, bias, result, maxima, sums, all_hidden;
    ComputeMask mask;
  };

  bool holds(std::int64_t numbers) const { return numbers <= limits.numbers_per_buffer; }

  std::unique_ptr<OffscreenContext> context;
  std::string renderer;
  ComputeLimits limits;
  std::optional<ComputeKernels> kernels;
  std::optional<Buffers> buffers;
};

// The offset of a cell in a dense tensor.
std::int64_t offset_of(const Region& part, const Region& all) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < part.count; ++axis) offset = offset * all[axis].size() + part[axis].begin - all[axis].begin;
  return offset;
}

// Reads the part's numbers, which the buffer holds row-major, to where they belong in the dense result over `all`.
void read_part(const ComputeBuffer& buffer, const Region& part, const Region& all, float* result) {
  const std::int64_t count = element_count(part);
  // Whole along every axis after the first of more than one: then it lies in one piece.
  int axis = 0;
  while (axis < part.count && part[axis].size() == 1) ++axis;
  bool in_one_piece = true;
  for (++axis; axis < part.count; ++axis) in_one_piece = in_one_piece && part[axis] == all[axis];
  if (in_one_piece) {
    return buffer.read(0, {result + offset_of(part, all), static_cast<std::size_t>(count)});
  }
  std::vector<float> numbers(static_cast<std::size_t>(count));
  buffer.read(0, numbers);
  const int last = part.count - 1;
  const std::int64_t row = part[last].size();
  Region at = part;
  const float* from = numbers.data();
  for (const float* end = from + count; from < end; from += row) {
    std::copy_n(from, row, result + offset_of(at, all));
    // The next row: counts like an odometer.
    for (int k = last - 1; k >= 0; --k) {
      if (++at[k].begin < part[k].end) break;
      at[k].begin = part[k].begin;
    }
  }
}

bool all_finite(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

class GpuBackend : public Backend {
 public:
  explicit GpuBackend(const GpuOptions& options) {
    thread_.run([&] { device_ = std::make_unique<Device>(options); });
  }
  ~GpuBackend() override {
    thread_.run([&] { device_.reset(); });
  }
  GpuBackend(const GpuBackend&) = delete;
  GpuBackend& operator=(const GpuBackend&) = delete;

  std::string_view name() const override { return "gpu"; }
  std::string description() const override { return "GPU, " + device_->renderer; }

  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    const LinearSizes size = linear_sizes(x, weight, bias);
    Tensor result = Tensor::zeros({size.batch, size.len, size.out}, {Axis::batch, Axis::position, Axis::feature});
    float* to = result.mutable_data();
    const Region all = whole({size.batch, size.len, size.out});
    run([&] {
      const auto fits = [&](const Region& part) {
        const std::int64_t rows = part[0].size() * part[1].size();
        return device_->holds(rows * size.in) && device_->holds(part[2].size() * size.in) &&
               device_->holds(rows * part[2].size()) && products_fit(rows * part[2].size(), size.in);
      };
      for (const Region& part : parts_of(all, fits)) {
        cancel.check();
        Device::Buffers& b = *device_->buffers;
        b.left.upload(x, {part[0], part[1], {0, size.in}});
        b.right.upload(weight, {part[2], {0, size.in}});
        if (!bias.empty()) b.bias.upload(bias, {part[2]});
        b.result.reserve(element_count(part));
        device_->kernels->dot_products({1, part[0].size() * part[1].size(), part[2].size(), size.in, {}}, b.left,
                                       b.right, bias.empty() ? nullptr : &b.bias, b.result);
        read_part(b.result, part, all, to);
      }
    });
    return result;
  }

  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    const ScoreSizes size = score_sizes(query, key, region);
    Tensor result = Tensor::zeros({region[0].size(), region[1].size(), region[2].size(), region[3].size()},
                                  {Axis::batch, Axis::head, Axis::query, Axis::key});
    float* to = result.mutable_data();
    run([&] {
      const auto fits = [&](const Region& part) {
        const std::int64_t matrices = part[0].size() * part[1].size();
        return device_->holds(matrices * part[2].size() * size.head_dim) &&
               device_->holds(matrices * part[3].size() * size.head_dim) && device_->holds(element_count(part)) &&
               matrices <= kMostGroups && products_fit(element_count(part), size.head_dim);
      };
      for (const Region& part : parts_of(region, fits)) {
        cancel.check();
        Device::Buffers& b = *device_->buffers;
        const HeadGroups heads{part[1].begin, part[1].size(), size.heads_per_kv_head};
        b.left.upload(query, {part[0], part[1], part[2], {0, size.head_dim}});
        b.right.upload(key, {part[0], heads.group_range(), part[3], {0, size.head_dim}});
        b.result.reserve(element_count(part));
        device_->kernels->dot_products({part[0].size(), part[2].size(), part[3].size(), size.head_dim, heads}, b.left,
                                       b.right, nullptr, b.result);
        read_part(b.result, part, region, to);
      }
    });
    return result;
  }

  Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                      const CancelToken& cancel) const override {
    const Shape& shape = masked_scores.shape();
    Tensor result = Tensor::zeros(shape, masked_scores.axes());
    RowStatistics found = sized_row_statistics(shape);
    float* weights = result.mutable_data();
    float* maxima = found.max.mutable_data();
    float* sums = found.sum.mutable_data();
    const std::int64_t keys = shape[3];
    const Region all = whole(shape);
    const Region all_rows{all[0], all[1], all[2]};
    run([&] {
      const auto fits = [&](const Region& part) {
        return element_count(part) <= kMostGroups && device_->holds(element_count(part) * keys);
      };
      for (const Region& part : parts_of(keys > 0 ? all_rows : Region{{0, 0}}, fits)) {
        cancel.check();
        Device::Buffers& b = *device_->buffers;
        const std::int64_t rows = element_count(part);
        const Region cells{part[0], part[1], part[2], {0, keys}};
        b.result.upload(masked_scores, cells);
        b.mask.hide_nothing();
        for (ComputeBuffer* buffer : {&b.maxima, &b.sums, &b.all_hidden}) buffer->reserve(rows);
        device_->kernels->row_statistics(rows, keys, b.result, b.mask, b.maxima, b.sums, b.all_hidden);
        device_->kernels->softmax_weights(rows, keys, b.result, b.maxima, b.sums);
        read_part(b.result, cells, all, weights);
        read_part(b.maxima, part, all_rows, maxima);
        read_part(b.sums, part, all_rows, sums);
      }
    });
    if (statistics != nullptr) *statistics = found;
    return result;
  }

  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override {
    const ContextSizes size = context_sizes(weights, value, hidden);
    Tensor result = Tensor::zeros({size.batch, size.heads, size.query_len, size.value_head_dim},
                                  {Axis::batch, Axis::head, Axis::position, Axis::feature});
    float* to = result.mutable_data();
    const Region all = whole(result.shape());
    const bool any_value = hidden.any() && !all_finite(value);
    run([&] {
      const auto fits = [&](const Region& part) {
        const std::int64_t matrices = part[0].size() * part[1].size();
        return device_->holds(matrices * part[2].size() * size.key_len) &&
               device_->holds(matrices * part[3].size() * size.key_len) && device_->holds(element_count(part)) &&
               matrices <= kMostGroups && products_fit(element_count(part), size.key_len);
      };
      for (const Region& part : parts_of(all, fits)) {
        cancel.check();
        Device::Buffers& b = *device_->buffers;
        const HeadGroups heads{part[1].begin, part[1].size(), size.heads_per_kv_head};
        b.left.upload(weights, {part[0], part[1], part[2], {0, size.key_len}});
        b.right.upload(value, {part[0], heads.group_range(), {0, size.key_len}, part[3]});
        if (any_value) b.mask.upload(hidden, part[0], part[1], part[2]);
        b.result.reserve(element_count(part));
        device_->kernels->weighted_values({part[0].size(), part[2].size(), part[3].size(), size.key_len, heads}, b.left,
                                          b.right, any_value ? &b.mask : nullptr, b.result);
        read_part(b.result, part, all, to);
      }
    });
    return result;
  }

 private:
  bool products_fit(std::int64_t results, std::int64_t depth) const {
    return static_cast<double>(results) * static_cast<double>(depth) <= device_->limits.products_per_dispatch ||
           results <= 4096;
  }

  // On the device's thread; whatever happens, the buffers then hold no tensor any longer.
  void run(const std::function<void()>& work) const {
    struct Forget {
      explicit Forget(Device::Buffers& of) : buffers(of) {}
      ~Forget() {
        for (ComputeBuffer* b : {&buffers.left, &buffers.right, &buffers.bias, &buffers.result}) b->forget();
      }
      Forget(const Forget&) = delete;
      Forget& operator=(const Forget&) = delete;
      Device::Buffers& buffers;
    };
    thread_.run([&] {
      const Forget at_end(*device_->buffers);
      work();
    });
  }

  ComputeThread thread_;
  std::unique_ptr<Device> device_;  // touched on that thread; but for what never changes
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(const GpuOptions& options) {
  return std::make_unique<GpuBackend>(options);
}

}  // namespace headscope
