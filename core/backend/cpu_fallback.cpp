// A backend that hands over to the CPU for good when its device fails.
#include <mutex>

#include "core/backend/backend_factory.h"
#include "core/backend/device_backend.h"
#include "core/backend/device_pyramid.h"

namespace headscope {
namespace {

class CpuFallback : public Backend, public DeviceBackend {
 private:
  std::shared_ptr<const Backend> current() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_;
  }

  std::shared_ptr<const Backend> next() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (now_ == first_) now_ = make_cpu_backend(0);
    return now_;
  }

  template <typename Work>
  auto on_one(const Work& work) const {
    try {
      return work(*current());
    } catch (const BackendError&) {
      return work(*next());
    }
  }

  const std::shared_ptr<const Backend> first_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Backend> now_;

 public:
  explicit CpuFallback(std::shared_ptr<const Backend> backend) : first_(std::move(backend)), now_(first_) {}

  std::string_view name() const override { return current()->name(); }
  std::string description() const override { return current()->description(); }

  Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const override {
    return on_one([&](const Backend& on) { return on.linear(x, weight, bias, cancel); });
  }
  Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                            const CancelToken& cancel) const override {
    return on_one([&](const Backend& on) { return on.query_key_products(query, key, region, cancel); });
  }
  Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                      const CancelToken& cancel) const override {
    return on_one([&](const Backend& on) { return on.softmax_rows(masked_scores, statistics, cancel); });
  }
  Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                         const CancelToken& cancel) const override {
    return on_one([&](const Backend& on) { return on.weighted_values(weights, value, hidden, cancel); });
  }
  void linear_into(const Tensor& x, const Linear& layer, Tensor& y, const CancelToken& cancel) const override {
    on_one([&](const Backend& on) { on.linear_into(x, layer, y, cancel); });
  }
  void attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                 const CancelToken& cancel) const override {
    on_one([&](const Backend& on) { on.attention(of, value, part, to, cancel); });
  }
  // attention_with_rows() is the base's: each call that it makes falls back on its own, so that no row comes twice.
  void read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                   const CancelToken& cancel) const override {
    on_one([&](const Backend& on) { on.read_scores(of, cells, out, cancel); });
  }
  RowStatistics read_new_weights(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                                 const CancelToken& cancel) const override {
    return on_one([&](const Backend& on) { return on.read_new_weights(of, cells, out, cancel); });
  }
  std::optional<RowStatistics> visit_weights(const ScoreOperands& of, const QueryRange& part, const VisitWeights& visit,
                                             const CancelToken& cancel) const override {
    return on_one([&](const Backend& on) { return on.visit_weights(of, part, visit, cancel); });
  }
  std::shared_ptr<const DevicePyramid> device_pyramid(const ScoreMatrix& matrix) const override {
    return on_one([&](const Backend& on) { return device_pyramid_of(on, matrix); });
  }
  bool computes_on_device() const override { return headscope::computes_on_device(*current()); }
};

}  // namespace

std::shared_ptr<const Backend> with_cpu_fallback(std::shared_ptr<const Backend> backend) {
  if (backend->name() != "gpu") return backend;
  return std::make_shared<const CpuFallback>(std::move(backend));
}

}  // namespace headscope
