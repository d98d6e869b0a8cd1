#include "app/gl/compute_backend.h"

#include <string>

#include "app/gl/compute_attention.h"
#include "app/gl/compute_device.h"
#include "app/gl/compute_pyramid.h"
#include "app/gl/compute_thread.h"
#include "app/gl/device_check.h"
#include "app/gl/finite_numbers.h"
#include "app/gl/offscreen.h"
#include "core/backend/backend_factory.h"
#include "core/backend/operands.h"

namespace headscope {
namespace {

constexpr std::int64_t kProductsPerWeight = 40;  // what exp and division cost, about

// What the driver refuses is no fault of the request.
template <typename Work>
void as_backend_error(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    throw BackendError(error.what());
  }
}

class GpuBackend : public Backend, public DeviceBackend, public std::enable_shared_from_this<GpuBackend> {
 public:
  explicit GpuBackend(const GpuOptions& options) {
    as_backend_error([&] { thread_.run([&] { device_ = std::make_unique<ComputeDevice>(options); }); });
  }
  ~GpuBackend() override {
    thread_.run([&] { device_.reset(); });
  }
  GpuBackend(const GpuBackend&) = delete;
  GpuBackend& operator=(const GpuBackend&) = delete;

  std::string_view name() const override { return "gpu"; }
  std::string description() const override {
    return "GPU, " + device_->renderer + (device_->context->share() != nullptr ? ", shared with the window" : "");
  }

  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    const LinearSizes size = linear_sizes(x, weight, bias);
    Tensor result = Tensor::zeros({size.batch, size.len, size.out}, {Axis::batch, Axis::position, Axis::feature});
    project(x, weight, bias, result, cancel);
    return result;
  }

  void linear_into(const Tensor& x, const Linear& layer, Tensor& y, const CancelToken& cancel) const override {
    project(x, layer.weight, layer.bias, y, cancel);
  }

  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    const ScoreSizes size = score_sizes(query, key, region);
    Tensor result = Tensor::zeros({region[0].size(), region[1].size(), region[2].size(), region[3].size()},
                                  {Axis::batch, Axis::head, Axis::query, Axis::key});
    run([&] {
      const auto fits = [&](const Region& part) {
        const std::int64_t matrices = part[0].size() * part[1].size();
        return device_->holds(matrices * part[2].size() * size.head_dim) &&
               device_->holds(matrices * part[3].size() * size.head_dim) && device_->holds(element_count(part)) &&
               matrices <= kMostGroups && device_->takes(element_count(part), size.head_dim);
      };
      for (const Region& part : parts_of(region, fits)) {
        cancel.check();
        ComputeBuffers& b = *device_->buffers;
        const HeadGroups heads{part[1].begin, part[1].size(), size.heads_per_kv_head};
        b.left.upload(query, {part[0], part[1], part[2], {0, size.head_dim}});
        b.right.upload(key, {part[0], heads.group_range(), part[3], {0, size.head_dim}});
        b.result.reserve(element_count(part));
        device_->kernels->dot_products({part[0].size(), part[2].size(), part[3].size(), size.head_dim, heads}, b.left,
                                       b.right, nullptr, b.result);
        read_part(b.result, shifted(part, region), result);
      }
    });
    return result;
  }

  Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                      const CancelToken& cancel) const override {
    const Shape& shape = masked_scores.shape();
    Tensor result = Tensor::zeros(shape, masked_scores.axes());
    RowStatistics found = sized_row_statistics(shape);
    const std::int64_t keys = shape[3];
    const Region all = whole(shape);
    const Region all_rows{all[0], all[1], all[2]};
    run([&] {
      const auto fits = [&](const Region& part) {
        return element_count(part) <= kMostGroups && device_->holds(element_count(part) * keys) &&
               device_->takes(element_count(part) * keys, kProductsPerWeight);
      };
      for (const Region& part : parts_of(keys > 0 ? all_rows : Region{{0, 0}}, fits)) {
        cancel.check();
        ComputeBuffers& b = *device_->buffers;
        const std::int64_t rows = element_count(part);
        const Region cells{part[0], part[1], part[2], {0, keys}};
        b.result.upload(masked_scores, cells);
        b.maxima.reserve(rows);
        b.sums.reserve(rows);
        device_->kernels->row_statistics(rows, keys, b.result, b.maxima, b.sums);
        device_->kernels->softmax_weights({.rows = rows, .keys = keys}, b.result, b.maxima, b.sums, b.mask,
                                          b.all_hidden);
        read_part(b.result, cells, result);
        read_part(b.maxima, part, found.max);
        read_part(b.sums, part, found.sum);
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
    const Region all = whole(result.shape());
    run([&] {
      const bool any_value = hidden.any() && !all_finite(value, device_->threads);
      const auto fits = [&](const Region& part) {
        const std::int64_t matrices = part[0].size() * part[1].size();
        return device_->holds(matrices * part[2].size() * size.key_len) &&
               device_->holds(matrices * part[3].size() * size.key_len) && device_->holds(element_count(part)) &&
               matrices <= kMostGroups && device_->takes(element_count(part), size.key_len);
      };
      for (const Region& part : parts_of(all, fits)) {
        cancel.check();
        ComputeBuffers& b = *device_->buffers;
        const HeadGroups heads{part[1].begin, part[1].size(), size.heads_per_kv_head};
        b.left.upload(weights, {part[0], part[1], part[2], {0, size.key_len}});
        b.right.upload(value, {part[0], heads.group_range(), {0, size.key_len}, part[3]});
        if (any_value) b.mask.upload(hidden, part[0], part[1], part[2]);
        b.result.reserve(element_count(part));
        device_->kernels->weighted_values({part[0].size(), part[2].size(), part[3].size(), size.key_len, heads}, b.left,
                                          b.right, any_value ? &b.mask : nullptr, 0, b.result);
        read_part(b.result, part, result);
      }
    });
    return result;
  }

  void attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                 const CancelToken& cancel) const override {
    run([&] { attention_on(*device_, of, value, part, to, cancel); });
  }

  void read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                   const CancelToken& cancel) const override {
    run([&] { read_scores_on(*device_, of, cells, out, cancel); });
  }

  std::shared_ptr<const DevicePyramid> device_pyramid(const ScoreMatrix& matrix) const override {
    const std::shared_ptr<TextureShare> share = device_->context->share();
    if (share == nullptr) return nullptr;
    return make_compute_pyramid(
        [own = shared_from_this()](const std::function<void(ComputeDevice&)>& work) {
          own->run([&] { work(*own->device_); });
        },
        [maybe = weak_from_this()](const std::function<void(ComputeDevice&)>& work) {
          const auto own = maybe.lock();
          if (own == nullptr) throw BackendError("The device that computed this picture is no longer in use.");
          own->run([&] { work(*own->device_); });
        },
        {.identity = this, .is_card = !is_software_renderer(device_->renderer)}, share, matrix);
  }

 private:
  void project(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, const CancelToken& cancel) const {
    const LinearSizes size = linear_sizes(x, weight, bias);
    run([&] {
      const auto fits = [&](const Region& part) {
        const std::int64_t rows = part[0].size() * part[1].size();
        return device_->holds(rows * size.in) && device_->holds(part[2].size() * size.in) &&
               device_->holds(rows * part[2].size()) && device_->takes(rows * part[2].size(), size.in);
      };
      for (const Region& part : parts_of(whole({size.batch, size.len, size.out}), fits)) {
        cancel.check();
        ComputeBuffers& b = *device_->buffers;
        b.left.upload(x, {part[0], part[1], {0, size.in}});
        const ComputeBuffer* kept = part[2].size() == size.out ? device_->weights->find(weight) : nullptr;
        if (kept == nullptr) b.right.upload(weight, {part[2], {0, size.in}});
        if (!bias.empty()) b.bias.upload(bias, {part[2]});
        b.result.reserve(element_count(part));
        device_->kernels->dot_products({1, part[0].size() * part[1].size(), part[2].size(), size.in, {}}, b.left,
                                       kept != nullptr ? *kept : b.right, bias.empty() ? nullptr : &b.bias, b.result);
        read_part(b.result, part, y);
      }
    });
  }

  // On the device's thread; whatever happens, the buffers then hold no tensor any longer.
  void run(const std::function<void()>& work) const {
    struct Forget {
      explicit Forget(ComputeDevice& forgetful) : device(forgetful) {}
      ~Forget() { device.forget(); }
      Forget(const Forget&) = delete;
      Forget& operator=(const Forget&) = delete;
      ComputeDevice& device;
    };
    as_backend_error([&] {
      thread_.run([&] {
        const Forget at_end(*device_);
        work();
      });
    });
  }

  ComputeThread thread_;
  std::unique_ptr<ComputeDevice> device_;  // touched on that thread, but for what never changes
};

}  // namespace

std::shared_ptr<const Backend> make_gpu_backend(const GpuOptions& options) {
  auto backend = std::make_shared<GpuBackend>(options);
  // Heads and tokens enough to fill a large card, in several blocks of queries. What computes on the processor is
  // tested there, and would take seconds.
  if (!is_software_renderer(backend->description())) check_attention(*backend, 12, 520);
  return backend;
}

}  // namespace headscope
