// What the steps of a cell are made of: sums, norms, products.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "core/base/assert.h"
#include "core/explain/explainer.h"
#include "core/explain/model_teller.h"
#include "core/model/row_norm.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

ModelRow wide(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

ModelTeller::ModelTeller(const std::string& option, const Trace& trace, const Trace& asked, ModelStageId stage,
                         const CancelToken& cancel)
    : trace_(trace),
      asked_(asked),
      model_(*trace.model),
      architecture_(model_.checkpoint->architecture()),
      cancel_(cancel),
      stage_(stage) {
  std::vector<ModelStageId> ids;
  for (const ModelStageInfo& info : model_stage_infos()) {
    const bool there = info.needs == ModelStageNeeds::nothing || (info.needs == ModelStageNeeds::mlp && has_mlp()) ||
                       (info.needs == ModelStageNeeds::convolution && architecture_.convolution);
    if (there || info.id == stage) ids.push_back(info.id);
  }
  stages_ = model_stages(option, trace, ids, cancel);
}

const Tensor& ModelTeller::tensor(ModelStageId id) const {
  for (const ModelStage& stage : stages_) {
    if (stage.id == id) return stage.tensor;
  }
  HEADSCOPE_ASSERT(false, std::string(model_stage_info(id).name));
  return stages_.front().tensor;
}

ModelRow ModelTeller::row(ModelStageId id, std::int64_t layer) const {
  const Tensor& of = tensor(id);
  Region region;
  if (model_stage_info(id).by_layers()) region.push_back({layer, layer + 1});
  region.push_back({batch_, batch_ + 1});
  region.push_back({position_, position_ + 1});
  region.push_back({0, of.dim(of.rank() - 1)});
  std::vector<float> values(static_cast<std::size_t>(element_count(region)));
  of.read(region, values);
  return wide(values);
}

ModelTerm ModelTeller::term(ModelStageId id, std::int64_t layer) const {
  return {std::string(model_stage_info(id).name),
          {layer, batch_, position_, feature_},
          row(id, layer)[static_cast<std::size_t>(feature_)]};
}

void ModelTeller::sum(const std::vector<ModelTerm>& terms) {
  std::string text;
  double total = 0;
  for (const ModelTerm& each : terms) {
    operand(each.stage, each.index, each.value);
    text += (text.empty() ? "" : " + ") + in_brackets(each.value, operand_text(each.value));
    total += each.value;
    cell_.magnitude += std::abs(each.value);
  }
  step("sum", text, total);
}

// The norm of x at the cell's feature.
void ModelTeller::norm(const NormWeights& weights, const ModelRow& x) {
  if (weights.empty()) return;
  const RowNorm rule = row_norm_of(architecture_, weights);
  const bool centred = rule.kind == Architecture::Norm::layer;
  const auto count = static_cast<double>(x.size());
  const auto d = static_cast<std::size_t>(feature_);
  double mean = 0, squares = 0;
  for (const double each : x) mean += centred ? each / count : 0;
  for (const double each : x) squares += (each - mean) * (each - mean) / count;
  if (centred) step("mean", fmt::format("mean of {} features", x.size()), mean);
  step(centred ? "variance" : "mean square", fmt::format("over {} features", x.size()), squares);
  const double own = static_cast<double>(weights.weight.at({feature_}));
  const double factor = own + (rule.plus_one ? 1 : 0);
  const double scaled = (x[d] - mean) / std::sqrt(squares + rule.eps) * factor;
  operand("norm.weight", {feature_}, own, SourceRole::projection);
  const std::string from =
      centred ? fmt::format("({} - {})", step_text(x[d]), in_brackets(mean, step_text(mean))) : step_text(x[d]);
  step("÷ root × weight",
       fmt::format("{} / √({} + {}) · {}", from, step_text(squares), step_text(rule.eps),
                   in_brackets(factor, step_text(factor))),
       scaled);
  cell_.magnitude = (std::abs(x[d]) + std::abs(mean)) / std::sqrt(squares + rule.eps) * std::abs(factor);
  if (weights.bias.empty()) return;
  const double bias = static_cast<double>(weights.bias.at({feature_}));
  operand("norm.bias", {feature_}, bias, SourceRole::bias);
  cell_.magnitude += std::abs(bias);
  step("+ bias", step_text(scaled) + " + " + in_brackets(bias, operand_text(bias)), scaled + bias);
}

// One row of a matrix by x, whose cells are `name` of the cell's place.
void ModelTeller::product(const Linear& linear, const std::string& name, std::int64_t out, const ModelRow& x) {
  std::vector<float> weights(x.size());
  linear.weight.read({{out, out + 1}, {0, static_cast<std::int64_t>(x.size())}}, weights);
  const std::string matrix = name == "hidden" ? "down" : name == "embedded" ? "projection" : "decoder";
  double total = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto at = static_cast<std::int64_t>(k);
    const auto weight = static_cast<double>(weights[k]);
    if (name == "hidden") {
      operand(name, {layer_, batch_, position_, at}, x[k]);
    } else {
      operand(name, {batch_, position_, at}, x[k]);
    }
    operand(matrix + ".weight", {out, at}, weight, SourceRole::projection);
    cell_.terms.push_back({at, x[k], weight});
    cell_.magnitude += std::abs(x[k] * weight);
    total += x[k] * weight;
  }
  step("product", fmt::format("Σ over {} features", x.size()), total);
  if (linear.bias.empty()) return;
  const auto bias = static_cast<double>(linear.bias.at({out}));
  operand(matrix + ".bias", {out}, bias, SourceRole::bias);
  cell_.magnitude += std::abs(bias);
  step("+ bias", step_text(total) + " + " + in_brackets(bias, operand_text(bias)), total + bias);
}

ModelRow ModelTeller::times(const Linear& linear, const ModelRow& x) const {
  ModelRow y(static_cast<std::size_t>(linear.weight.dim(0)));
  std::vector<float> weights(x.size());
  for (std::size_t out = 0; out < y.size(); ++out) {
    cancel_.check();
    const auto at = static_cast<std::int64_t>(out);
    linear.weight.read({{at, at + 1}, {0, static_cast<std::int64_t>(x.size())}}, weights);
    for (std::size_t k = 0; k < x.size(); ++k) y[out] += static_cast<double>(weights[k]) * x[k];
    if (!linear.bias.empty()) y[out] += static_cast<double>(linear.bias.at({at}));
  }
  return y;
}

ModelRow ModelTeller::activated(Architecture::Activation activation, const ModelRow& x) const {
  std::vector<float> values(x.begin(), x.end());
  activate(activation, values);
  return wide(values);
}

// The norm of a whole row, as the model computes it.
ModelRow ModelTeller::normed_row(const NormWeights& weights, const ModelRow& x) const {
  Tensor y = Tensor::of({1, 1, static_cast<std::int64_t>(x.size())}, {Axis::batch, Axis::position, Axis::feature},
                        {x.begin(), x.end()});
  norm_rows(row_norm_of(architecture_, weights), y, 0, y);
  return wide(y.values());
}

// What the last matrix of the MLP reads.
ModelRow ModelTeller::hidden() const {
  const ModelRow x = row(ModelStageId::mlp_in, layer_);
  const BlockWeights weights = block();
  const ModelRow up = times(weights.up, x);
  if (architecture_.mlp != Architecture::Mlp::gated) return activated(architecture_.activation, up);
  ModelRow result = activated(architecture_.activation, times(weights.gate, x));
  for (std::size_t k = 0; k < up.size(); ++k) result[k] *= up[k];
  return result;
}

}  // namespace headscope
