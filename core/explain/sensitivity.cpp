// Long because the derivative of every step stands in one class, beside the gradients that it adds to.
#include "core/explain/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/attention/score_rule_of.h"
#include "core/backend/score_steps.h"
#include "core/base/assert.h"
#include "core/explain/cell_origin.h"
#include "core/explain/norm_slopes.h"
#include "core/model/head_rule.h"
#include "core/request/interventions.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// Scores of one batch item; above, two pictures of them would take more than a GiB.
constexpr std::int64_t kMostScores = std::int64_t{1} << 27;

std::vector<double> values_of(const CellSource& source) {
  std::vector<float> values(static_cast<std::size_t>(element_count(source.region)));
  source.tensor.read(source.region, values);
  return {values.begin(), values.end()};
}

// d target / d a stage, row by row of its last axis; rows that nothing reached are not there.
class Gradient {
 public:
  explicit Gradient(const Shape& shape) : shape_(shape) {}

  double& at(const Index& index) {
    std::vector<double>& row = row_of(index);
    return row[static_cast<std::size_t>(index[index.count - 1])];
  }
  // Adds factor * values[k] to the k-th cell of the region, which is longer than 1 along at most one axis.
  void add(const Region& region, const std::vector<double>& values, double factor) {
    Index at;
    int along = region.count - 1;
    for (int axis = 0; axis < region.count; ++axis) {
      at.push_back(region[axis].begin);
      if (region[axis].size() > 1) along = axis;
    }
    if (along == region.count - 1) {
      double* to = &this->at(at);
      for (std::size_t k = 0; k < values.size(); ++k) to[k] += factor * values[k];
      return;
    }
    for (const double value : values) {
      this->at(at) += factor * value;
      ++at[along];
    }
  }

  // f(index, value) for every cell whose value is not 0.
  template <typename F>
  void each(F&& f) const {
    for (const auto& [number, row] : rows_) {
      Index index;
      std::int64_t rest = number;
      for (int axis = shape_.count - 2; axis >= 0; --axis) {
        index.push_back(rest % shape_[axis]);
        rest /= shape_[axis];
      }
      std::reverse(index.values.begin(), index.values.begin() + index.count);
      index.push_back(0);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k] == 0) continue;
        index[index.count - 1] = static_cast<std::int64_t>(k);
        f(index, row[k]);
      }
    }
  }

 private:
  std::vector<double>& row_of(const Index& index) {
    std::int64_t number = 0;
    for (int axis = 0; axis + 1 < index.count; ++axis) number = number * shape_[axis] + index[axis];
    std::vector<double>& row = rows_[number];
    if (row.empty()) row.resize(static_cast<std::size_t>(shape_[shape_.count - 1]));
    return row;
  }

  Shape shape_;
  std::map<std::int64_t, std::vector<double>> rows_;
};

class Backward {
 public:
  Backward(const Trace& trace, const CancelToken& cancel)
      : trace_(trace), cancel_(cancel), rule_(score_rule_of(trace.request, *trace.inputs, trace.mask)) {}

  void run(StageId target, const Index& index) {
    of(target).at(index) = 1;
    const auto& stages = all_stages();
    for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
      const auto found = gradients_.find(*stage);
      if (found == gradients_.end()) continue;
      found->second.each([&](const Index& at, double gradient) {
        cancel_.check();
        spread(*stage, at, gradient);
      });
    }
  }

  const Gradient* find(StageId stage) const {
    const auto found = gradients_.find(stage);
    return found == gradients_.end() ? nullptr : &found->second;
  }

 private:
  Gradient& of(StageId stage) { return gradients_.try_emplace(stage, trace_.tensor(stage).shape()).first->second; }

  void add(const CellSource& source, const std::vector<double>& values, double factor) {
    if (source.stage) of(*source.stage).add(source.region, values, factor);
  }

  // One cell's gradient to the cells that it was made from.
  void spread(StageId stage, const Index& index, double gradient) {
    const CellOrigin origin = origin_of(trace_, stage, index);
    static const std::vector<double> one = {1.0};
    // Whatever it was made from, it holds what was put there; to what is added it adds.
    if (origin.put && !origin.put->passes) return;
    gradient *= origin.factor;
    switch (origin.step) {
      case CellStep::given:
      case CellStep::ablated:
      case CellStep::frozen:
        return;
      case CellStep::copied:
        return add(origin.sources[0], one, gradient);
      case CellStep::scaled:
        return add(origin.sources[0], one, gradient * trace_.scale);
      case CellStep::formula:
        return by_formula(stage, origin, gradient);
      case CellStep::masked:
        // Before the scale, `scores` are masked and scaled in one step.
        if (origin.sources.empty()) return;
        for (const CellSource& each : origin.sources) {
          add(each, one, stage == StageId::scores ? gradient * trace_.scale : gradient);
        }
        return;
      case CellStep::products:
        return products(origin, gradient * origin.scale);
      case CellStep::softmax:
        return softmax(origin, index, gradient);
      case CellStep::sink_share:
        return sink_share(origin, gradient);
      case CellStep::dropped:
        return add(origin.sources[0], one, gradient * dropout_factor(index));
      case CellStep::rotated:
        return rotated(origin, stage, index, gradient);
      case CellStep::normed:
        return add(origin.sources[0], norm_slopes(*trace_.inputs->output_norm, values_of(origin.sources[0]), origin.at),
                   gradient);
    }
    HEADSCOPE_ASSERT(false, std::string(stage_name(stage)));
  }

  void by_formula(StageId stage, const CellOrigin& origin, double gradient) {
    const CellFormula& formula = stage_info(stage).formula->value;
    std::vector<double> cells;
    for (const CellSource& source : origin.sources) cells.push_back(values_of(source)[0]);
    if (origin.added) cells[0] += *origin.added;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      add(origin.sources[k], {1.0}, gradient * formula_slope(formula, cells, trace_.as_computed(), k));
    }
  }

  void products(const CellOrigin& origin, double gradient) {
    std::vector<double> left = values_of(origin.sources[0]), right = values_of(origin.sources[1]);
    for (std::size_t k = 0; k < origin.not_read.size(); ++k) {
      if (origin.not_read[k] != 0) left[k] = right[k] = 0;
    }
    add(origin.sources[0], right, gradient);
    add(origin.sources[1], left, gradient);
  }

  // w_j = exp(s_j) / sum_k exp(s_k):  d w_j / d s_k = w_j (delta_jk - w_k)
  void softmax(const CellOrigin& origin, const Index& index, double gradient) {
    const HiddenCells& hidden = trace_.mask->hidden;
    if (hidden.any()) {
      if (rule_.mask_after_softmax && hidden.hidden(index[0], index[1], index[2], index[3])) return;
      const bool constant = trace_.request.fully_masked != FullyMasked::as_computed;
      if (constant && hidden.all_hidden(index[0], index[1], index[2])) return;
    }
    const CellSource& row = origin.sources[0];
    if (!(row.region == softmax_region_)) {
      softmax_region_ = row.region;
      softmax_row_ = values_of(row);
      double largest = -INFINITY, sum = 0;
      for (const double score : softmax_row_) largest = std::isnan(score) ? score : std::max(largest, score);
      if (origin.sources.size() > 1) {
        const double sink = values_of(origin.sources[1]).front();
        if (!std::isnan(largest)) largest = std::max(largest, sink);
        sum = std::exp(sink - largest);
      }
      for (double& score : softmax_row_) sum += score = std::exp(score - largest);
      for (double& score : softmax_row_) score /= sum;
    }
    const auto own = static_cast<std::size_t>(origin.at);
    std::vector<double> slopes = softmax_row_;
    for (double& slope : slopes) slope *= -softmax_row_[own];
    slopes[own] += softmax_row_[own];
    add(row, slopes, gradient);
  }

  // u = exp(sink) / (sum_k exp(s_k) + exp(sink)), the keys' weights w:  d u / d s_k = -u w_k
  void sink_share(const CellOrigin& origin, double gradient) {
    std::vector<double> slopes = values_of(origin.sources[0]);
    const double sink = values_of(origin.sources[1]).front();
    double largest = sink, sum = 0;
    for (const double score : slopes) largest = std::isnan(score) ? score : std::max(largest, score);
    for (double& score : slopes) sum += score = std::exp(score - largest);
    const double own = std::exp(sink - largest);
    sum += own;
    for (double& slope : slopes) slope *= -own / sum / sum;
    add(origin.sources[0], slopes, gradient);
  }

  double dropout_factor(const Index& index) const {
    Region cell;
    for (const std::int64_t at : index) cell.push_back({at, at + 1});
    const Tensor one = Tensor::of({1, 1, 1, 1}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1.0F});
    return static_cast<double>(dropped_weights(one, rule_, cell, cancel_).data()[0]);
  }

  // See turn_heads: y = a cos + b sin, where a and b are features of (x - mean x) / sqrt(mean (x - mean x)^2 + eps) *
  // weight, or without the mean of x; what is held at a bound has no slope.
  void rotated(const CellOrigin& origin, StageId stage, const Index& index, double gradient) {
    const HeadRule& whole = *trace_.inputs->head_rule;
    const HeadRule rule = stage == StageId::value ? whole.of_values() : whole;
    const FeatureTurn turn = feature_turn(rule, index[3], index[2]);
    const std::vector<double> given = values_of(origin.sources[0]);
    std::vector<double> x;
    for (const double each : given) x.push_back(rule.held(each));
    std::vector<double> slopes(x.size());
    const auto own = static_cast<std::size_t>(origin.at);
    const auto other = static_cast<std::size_t>(origin.at - index[3] + turn.other);
    slopes[own] += turn.cosine;
    if (turn.other >= 0) slopes[other] += turn.sine;
    if (origin.sources.size() > 1) {
      const std::vector<double> weight = values_of(origin.sources[1]);
      double mean = 0, squares = 0, along = 0, slope = 0;
      const auto count = static_cast<double>(x.size());
      if (rule.norm_centred) {
        for (const double each : x) mean += each / count;
      }
      for (double& each : x) each -= mean;
      for (const double each : x) squares += each * each;
      const double factor = 1 / std::sqrt(squares / count + rule.norm_eps);
      for (std::size_t d = 0; d < x.size(); ++d) {
        slopes[d] *= factor * (rule.norm_plus_one ? 1 + weight[d] : weight[d]);
        along += slopes[d] * x[d];
        slope += rule.norm_centred ? slopes[d] / count : 0.0;
      }
      for (std::size_t d = 0; d < x.size(); ++d) slopes[d] -= factor * factor * along * x[d] / count + slope;
    }
    for (std::size_t d = 0; d < given.size(); ++d) {
      if (rule.held(given[d]) != given[d]) slopes[d] = 0;
    }
    add(origin.sources[0], slopes, gradient);
  }

  const Trace& trace_;
  const CancelToken& cancel_;
  ScoreRule rule_;
  std::map<StageId, Gradient> gradients_;
  Region softmax_region_;
  std::vector<double> softmax_row_;
};

// Of batch item b of a score-like stage.
Tensor score_gradient(const Trace& trace, const Gradient* gradient) {
  if (gradient == nullptr) return {};
  Tensor tensor =
      Tensor::zeros({trace.num_heads(), trace.query_len(), trace.key_len()}, {Axis::head, Axis::query, Axis::key});
  gradient->each([&](const Index& at, double value) {
    tensor.mutable_data()[(at[1] * trace.query_len() + at[2]) * trace.key_len() + at[3]] = static_cast<float>(value);
  });
  return tensor;
}

TokenSensitivity token_sensitivity(const Trace& trace, StageId stage, const Gradient& gradient, std::int64_t batch) {
  const Tensor& tensor = trace.tensor(stage);
  const bool heads = tensor.rank() == 4;
  const std::int64_t len = tensor.dim(heads ? 2 : 1), width = tensor.dim(heads ? 3 : 2);
  const std::int64_t features = heads ? tensor.dim(1) * width : width;
  TokenSensitivity result{stage, Tensor::zeros({len, features}, {Axis::position, Axis::feature}), {}, {}};
  result.norm.resize(static_cast<std::size_t>(len));
  result.times_vector.resize(static_cast<std::size_t>(len));
  gradient.each([&](const Index& at, double value) {
    if (at[0] != batch) return;
    const std::int64_t position = at[heads ? 2 : 1], feature = heads ? at[1] * width + at[3] : at[2];
    result.gradient.mutable_data()[position * features + feature] = static_cast<float>(value);
    result.norm[static_cast<std::size_t>(position)] += value * value;
    result.times_vector[static_cast<std::size_t>(position)] += value * static_cast<double>(tensor.at(at));
  });
  for (double& norm : result.norm) norm = std::sqrt(norm);
  return result;
}

}  // namespace

std::optional<std::string> sensitivity_problem(const Trace& trace) {
  if (trace.on_demand != nullptr) {
    return "the weights are computed when they are read, and a derivative needs them kept: shorten the text";
  }
  const std::int64_t scores = trace.num_heads() * trace.query_len() * trace.key_len();
  if (scores > kMostScores) {
    return fmt::format("there are {} scores, and at most {} are gone through: shorten the text", scores, kMostScores);
  }
  for (const StageArray& each : trace.request.projected_out) {
    const bool here = each.layer.value_or(trace.inputs->layer) == trace.inputs->layer && !patches_stream(each.stage);
    if (each.on && here) return fmt::format("--project-out mixes numbers of {}: switch it off", each.stage);
  }
  return std::nullopt;
}

Sensitivity sensitivity(const Trace& trace, StageId stage, const Index& index, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(!sensitivity_problem(trace), *sensitivity_problem(trace));
  Backward backward(trace, cancel);
  backward.run(stage, index);
  Sensitivity result{stage, index, static_cast<double>(trace.tensor(stage).at(index)), {}, {}, {}};
  result.scores = score_gradient(trace, backward.find(StageId::scores));
  result.weights = score_gradient(trace, backward.find(StageId::weights));
  const bool alone = trace.find(StageId::input) == nullptr;
  const std::vector<StageId> sources = alone ? std::vector{StageId::query, StageId::key, StageId::value}
                                             : std::vector{StageId::input, StageId::key_input, StageId::value_input};
  for (const StageId source : sources) {
    if (const Gradient* gradient = backward.find(source)) {
      result.tokens.push_back(token_sensitivity(trace, source, *gradient, index[0]));
    }
  }
  return result;
}

}  // namespace headscope
