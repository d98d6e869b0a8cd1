// This part of the lab says what rounding can cost: numbers moved at random, and what a cell is a sum of.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/attention/projection_steps.h"
#include "core/diagnose/layer_lab.h"

namespace headscope {
namespace {

WideStage absolute(WideStage stage) {
  for (double& each : stage.values) each = std::abs(each);
  return stage;
}

Linear absolute(const Linear& linear) {
  const auto of = [](const Tensor& tensor) {
    if (tensor.empty()) return tensor;
    std::vector<float> values = tensor.values();
    for (float& each : values) each = std::abs(each);
    return Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
  };
  Linear result;
  result.weight = of(linear.weight);
  result.bias = of(linear.bias);
  return result;
}

// Every cell becomes the root mean square of its row.
WideStage sizes_of_rows(WideStage stage) {
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, stage.shape[stage.shape.count - 1]));
  for (std::size_t first = 0; first + width <= stage.values.size(); first += width) {
    double squares = 0;
    for (std::size_t k = first; k < first + width; ++k) squares += stage.values[k] * stage.values[k];
    std::fill_n(stage.values.begin() + static_cast<std::ptrdiff_t>(first), width,
                std::sqrt(squares / static_cast<double>(width)));
  }
  return stage;
}

}  // namespace

void LayerLab::scatter(std::uint64_t seed) {
  if (grid_ == nullptr) return;
  scattered_ = seed;
  lowest_ = std::ldexp(1.0, grid_->lowest);
  half_step_ = std::ldexp(1.0, -grid_->digits);
}

// The generator is xorshift64* (Vigna, 2016).
double LayerLab::scattered(double value) const {
  if (value == 0 || !std::isfinite(value)) return value;
  scattered_ ^= scattered_ >> 12;
  scattered_ ^= scattered_ << 25;
  scattered_ ^= scattered_ >> 27;
  const double share = static_cast<double>((scattered_ * 0x2545F4914F6CDD1DULL) >> 11) * 0x1p-52 - 1;
  return value + share * half_step_ * std::max(std::abs(value), lowest_);
}

WideStage LayerLab::summed_projection(StageId stage) const {
  const Inputs& inputs = what_.inputs;
  const QkvLayout layout = read_layout_of(what_.request, inputs.weights);
  const bool cross = !inputs.key_x.empty(), values_apart = cross && !inputs.value_x.empty();
  WideStage from = *heads_->at(StageId::input);
  if (stage != StageId::query_proj && cross) {
    from = stored(stage == StageId::value_proj && values_apart ? inputs.value_x : inputs.key_x);
  }
  const Part part = stage == StageId::query_proj ? Part::query : stage == StageId::key_proj ? Part::key : Part::value;
  return projected(absolute(std::move(from)), absolute(part_of(inputs, layout, part)));
}

WideStage LayerLab::summed_scores(StageId stage, Rows rows) {
  LayerLab all(*this);
  auto heads = std::make_shared<LabHeads>();
  for (const StageId id : {StageId::query, StageId::key}) {
    (*heads)[id] = std::make_shared<const WideStage>(absolute(*heads_->at(id)));
  }
  all.take_heads(std::move(heads));
  WideStage result = all.raw_scores(rows);
  if (stage == StageId::raw_scores) return result;
  const std::int64_t keys = result.shape[3], count = result.shape[2];
  const bool adds = stage >= StageId::masked_scores || rule_.mask_order == MaskOrder::before_scale;
  for (std::size_t k = 0; k < result.values.size(); ++k) {
    const std::int64_t cell = static_cast<std::int64_t>(k), row = cell / keys, pair = row / count;
    double& value = result.values[k];
    value *= std::abs(rule_.scale);
    if (!adds) continue;
    const double more =
        added(pair / result.shape[1], pair % result.shape[1], rows[static_cast<std::size_t>(row % count)], cell % keys);
    if (std::isfinite(more)) value += std::abs(more);
  }
  return result;
}

WideStage LayerLab::summed_behind_weights(StageId stage, Rows rows) {
  if (stage == StageId::output) {
    LayerLab all(*this);
    all.what_.inputs.weights.output = absolute(what_.inputs.weights.output);
    return absolute(all.output(absolute(this->stage(StageId::concat, rows)), rows));
  }
  LayerLab all(*this);
  auto heads = std::make_shared<LabHeads>();
  (*heads)[StageId::value] = std::make_shared<const WideStage>(absolute(*heads_->at(StageId::value)));
  const WideStage weights = absolute(this->stage(StageId::dropped_weights, rows));
  all.take_heads(std::move(heads));
  WideStage mixed = all.context(weights, rows);
  return stage == StageId::context ? mixed : all.joined(mixed);
}

WideStage LayerLab::summed(StageId stage, Rows rows) {
  heads();
  switch (stage) {
    case StageId::query_proj:
    case StageId::key_proj:
    case StageId::value_proj:
      return summed_projection(stage);
    case StageId::query:
    case StageId::key:
    case StageId::value:
      return sizes_of_rows(this->stage(stage, rows));
    case StageId::raw_scores:
    case StageId::scores:
    case StageId::capped_scores:
    case StageId::masked_scores:
      return summed_scores(stage, rows);
    case StageId::context:
    case StageId::concat:
    case StageId::output:
      return summed_behind_weights(stage, rows);
    default:
      return absolute(this->stage(stage, rows));
  }
}

}  // namespace headscope
