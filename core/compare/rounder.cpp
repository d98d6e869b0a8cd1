#include "core/compare/rounder.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

constexpr double kMostRoundingSteps = 127;

// Which numbers share a factor: those of one row, or of one column of one head.
class Groups {
 public:
  Groups(const Shape& shape, bool per_channel) : per_channel_(per_channel), columns_(shape[shape.count - 1]) {
    if (shape.count == 4) heads_ = shape[1], matrix_ = shape[2] * columns_;
    if (per_channel) {
      count_ = heads_ * columns_;
    } else {
      count_ = columns_ > 0 ? element_count(shape) / columns_ : 0;
    }
  }
  std::size_t count() const { return static_cast<std::size_t>(count_); }
  std::size_t of(std::size_t place) const {
    const auto cell = static_cast<std::int64_t>(place);
    if (!per_channel_) return static_cast<std::size_t>(cell / columns_);
    const std::int64_t head = matrix_ > 0 ? cell / matrix_ % heads_ : 0;
    return static_cast<std::size_t>(head * columns_ + cell % columns_);
  }

 private:
  bool per_channel_;
  std::int64_t columns_, heads_ = 1, matrix_ = 0, count_ = 0;
};

}  // namespace

void round_to_int8(std::span<double> values, const Shape& shape, bool per_channel, const IsRounded& is_rounded) {
  const Groups groups(shape, per_channel);
  const auto counts = [&](std::size_t k) { return std::isfinite(values[k]) && (!is_rounded || is_rounded(k)); };
  std::vector<double> largest(groups.count(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (counts(k)) largest[groups.of(k)] = std::max(largest[groups.of(k)], std::abs(values[k]));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double factor = counts(k) ? largest[groups.of(k)] / kMostRoundingSteps : 0;
    if (factor > 0)
      values[k] = std::clamp(std::nearbyint(values[k] / factor), -kMostRoundingSteps, kMostRoundingSteps) * factor;
  }
}

std::vector<double> Rounder::given(const Tensor& tensor) const {
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(tensor.size()));
  for (const float value : tensor.values()) result.push_back(given(static_cast<double>(value)));
  return result;
}

WideStage Rounder::given_stage(const Tensor& tensor) const {
  WideStage stage{tensor.shape(), given(tensor)};
  if (scaled_ && parts_.inputs) {
    round_to_int8(stage.values, stage.shape, format_->kind == PrecisionFormat::Kind::per_channel, {});
  }
  return stage;
}

std::vector<double> Rounder::given_weight(const Tensor& weight) const {
  std::vector<double> values = given(weight);
  if (scaled_ && parts_.inputs) round_to_int8(values, weight.shape(), false, {});
  return values;
}

void Rounder::store(WideStage& stage, const IsRounded& is_rounded) const {
  if (!scaled_ || !parts_.storage) return;
  round_to_int8(stage.values, stage.shape, format_->kind == PrecisionFormat::Kind::per_channel, is_rounded);
}

}  // namespace headscope
