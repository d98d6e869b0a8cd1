#include "core/explain/routing_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/attention/layer_routing.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/explain/explainer.h"
#include "core/model/checkpoint.h"
#include "core/model/experts.h"

namespace headscope {
namespace {

// A row of the layer that goes through the router.
struct RoutedRow {
  const MixtureRule& rule;
  const ExpertWeights& weights;
  std::vector<float> x, logits, p, correction, scores;
};

class RoutingTeller {
 public:
  RoutingTeller(const RoutedRow& row, const Index& index, std::int64_t layer) : row_(row), layer_(layer) {
    cell_.index = index;
  }

  RoutingCell tell_router(double value) {
    cell_.stage = RoutingStage::router;
    cell_.value = value;
    cell_.expert = cell_.index[2];
    const bool bias = !row_.weights.router.bias.empty();
    cell_.formula = fmt::format("router[b,i,e] = {}(Σ_d router.weight[e,d] · mlp_in[b,i,d]{})",
                                row_.rule.sigmoid ? "sigmoid" : "softmax over all e of ", bias ? " + bias[e]" : "");
    add_logit();
    add_probability();
    add_choice();
    return std::move(cell_);
  }

  RoutingCell tell_experts(double value) {
    cell_.stage = RoutingStage::experts;
    cell_.value = cell_.magnitude = value;
    cell_.expert = static_cast<std::int64_t>(value);
    cell_.formula = fmt::format("experts[b,i,k] = the expert whose {} is the k-th largest of all, the first k = 0",
                                by_logits() ? "logit" : "score");
    for (std::size_t e = 0; e < row_.p.size(); ++e) {
      const Index at{cell_.index[0], cell_.index[1], static_cast<std::int64_t>(e)};
      cell_.operands.push_back({"router", at, static_cast<double>(row_.p[e]), SourceRole::input});
    }
    const std::vector<std::size_t> order = order_of_experts();
    for (std::size_t k = 0; k <= static_cast<std::size_t>(cell_.index[2]); ++k) {
      step(fmt::format("k = {}", k), fmt::format("{} {}", by_logits() ? "logit" : "score", score_text(order[k])),
           static_cast<double>(order[k]));
    }
    add_choice();
    return std::move(cell_);
  }

 private:
  // Whether logits alone say which experts are chosen.
  bool by_logits() const { return !row_.rule.correction && row_.rule.chosen_groups >= row_.rule.groups; }
  std::size_t expert() const { return static_cast<std::size_t>(cell_.expert); }
  std::string score_text(std::size_t e) const {
    const double score = static_cast<double>(row_.scores[e]);
    return std::isinf(score) && score < 0 ? "of a group that is left out" : operand_text(score);
  }
  void step(std::string name, std::string expression, double value) {
    cell_.steps.push_back({std::move(name), std::move(expression), value});
  }
  void choose(std::string name, std::string expression, double value) {
    cell_.choice.push_back({std::move(name), std::move(expression), value});
  }

  std::vector<std::size_t> order_of_experts() const {
    std::vector<std::size_t> order(row_.scores.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return is_chosen_before(row_.scores, a, b); });
    return order;
  }

  void add_logit() {
    const Linear& router = row_.weights.router;
    const auto features = static_cast<std::int64_t>(row_.x.size());
    std::vector<float> weights(row_.x.size());
    router.weight.read({{cell_.expert, cell_.expert + 1}, {0, features}}, weights);
    double total = 0;
    for (std::int64_t d = 0; d < features; ++d) {
      const auto x = static_cast<double>(row_.x[static_cast<std::size_t>(d)]);
      const auto weight = static_cast<double>(weights[static_cast<std::size_t>(d)]);
      cell_.operands.push_back({"mlp_in", {layer_, cell_.index[0], cell_.index[1], d}, x, SourceRole::input});
      cell_.operands.push_back({"router.weight", {cell_.expert, d}, weight, SourceRole::projection});
      cell_.magnitude += std::abs(x * weight);
      total += x * weight;
    }
    step("logit", fmt::format("Σ over {} features", features), total);
    if (router.bias.empty()) return;
    const auto bias = static_cast<double>(router.bias.at({cell_.expert}));
    cell_.operands.push_back({"router.bias", {cell_.expert}, bias, SourceRole::bias});
    cell_.magnitude += std::abs(bias);
    step("+ bias", step_text(total) + " + " + in_brackets(bias, operand_text(bias)), total + bias);
  }

  // From the logit, in double, beside the others as they are.
  void add_probability() {
    const double logit = cell_.steps.back().value;
    if (row_.rule.sigmoid) {
      return step("sigmoid", fmt::format("1 / (1 + exp({}))", step_text(-logit)), 1 / (1 + std::exp(-logit)));
    }
    const auto largest = static_cast<double>(*std::max_element(row_.logits.begin(), row_.logits.end()));
    const double power = std::exp(logit - largest);
    double sum = power;
    for (std::size_t e = 0; e < row_.logits.size(); ++e) {
      if (e != expert()) sum += std::exp(static_cast<double>(row_.logits[e]) - largest);
    }
    step("− maximum", step_text(logit) + " − " + in_brackets(largest, operand_text(largest)), logit - largest);
    step("exp", "exp(" + step_text(logit - largest) + ")", power);
    step("sum", fmt::format("Σ of exp(logit − maximum) over {} experts", row_.logits.size()), sum);
    step("÷ sum", step_text(power) + " / " + step_text(sum), power / sum);
  }

  void add_choice() {
    const std::vector<std::size_t> order = order_of_experts();
    cell_.rank = std::find(order.begin(), order.end(), expert()) - order.begin();
    cell_.chosen = cell_.rank < row_.rule.chosen;
    add_score();
    const std::string others = cell_.chosen ? "so this one is chosen" : "so this one is not";
    choose("rank",
           fmt::format("{} of {} come before it; the first {} are chosen, {}", cell_.rank, order.size() - 1,
                       row_.rule.chosen, others),
           static_cast<double>(cell_.rank));
    if (!cell_.chosen) return choose("factor", "not chosen: it adds nothing to mlp_out", 0);
    add_factor(order);
  }

  // By what experts are chosen, where that is not the logit.
  void add_score() {
    const auto p = static_cast<double>(row_.p[expert()]);
    double score = p;
    if (!row_.correction.empty()) {
      const auto own = static_cast<double>(row_.correction[expert()]);
      score += own;
      if (cell_.stage == RoutingStage::router) {
        cell_.operands.push_back({"correction", {cell_.expert}, own, SourceRole::bias});
      }
      choose("+ correction", step_text(p) + " + " + in_brackets(own, operand_text(own)), score);
    }
    if (row_.rule.chosen_groups >= row_.rule.groups) return;
    const std::size_t size = row_.p.size() / static_cast<std::size_t>(row_.rule.groups), group = expert() / size;
    std::vector<float> all = row_.p;
    for (std::size_t e = 0; e < row_.correction.size(); ++e) all[e] += row_.correction[e];
    const std::vector<float> goodness = group_goodness(row_.rule, all);
    const bool out = std::isinf(row_.scores[expert()]) && row_.scores[expert()] < 0;
    choose(fmt::format("group {}", group),
           fmt::format("the {} of its experts {} to {}; {} the best {} of {} groups",
                       row_.rule.correction ? "two best together" : "best", group * size, group * size + size - 1,
                       out ? "not among" : "among", row_.rule.chosen_groups, row_.rule.groups),
           static_cast<double>(goodness[group]));
  }

  // What the result of a chosen expert is multiplied by.
  void add_factor(const std::vector<std::size_t>& order) {
    double factor = static_cast<double>(row_.p[expert()]), sum = 0;
    std::string text;
    for (std::size_t k = 0; k < static_cast<std::size_t>(row_.rule.chosen); ++k) {
      sum += static_cast<double>(row_.p[order[k]]);
      text += (k == 0 ? "" : " + ") + operand_text(static_cast<double>(row_.p[order[k]]));
    }
    choose("probability", fmt::format("router of expert {}", cell_.expert), factor);
    if (row_.rule.renormalised) {
      choose("÷ chosen", fmt::format("{} / ({})", operand_text(factor), text), factor / sum);
      factor /= sum;
    }
    if (row_.rule.factor != 1) {
      choose("× factor", step_text(factor) + " · " + step_text(row_.rule.factor), factor * row_.rule.factor);
    }
  }

  const RoutedRow& row_;
  const std::int64_t layer_;
  RoutingCell cell_;
};

// The index with places counted from the end settled.
Index settled_cell(RoutingStage stage, Index index, const Shape& shape) {
  const std::string name(routing_stage_name(stage));
  if (index.count != shape.count) {
    throw UsageError("at",
                     fmt::format("found {} numbers; {} is {} [batch, len, {}], expected {}", index.count, name,
                                 to_string(shape), stage == RoutingStage::router ? "experts" : "chosen", shape.count));
  }
  for (int axis = 0; axis < shape.count; ++axis) {
    index[axis] = counted_from_end(index[axis], shape[axis]);
    if (0 <= index[axis] && index[axis] < shape[axis]) continue;
    throw UsageError("at", fmt::format("found {} at place {}; {} is {}", index[axis], axis, name, to_string(shape)),
                     places_text(shape[axis]));
  }
  return index;
}

}  // namespace

std::string_view routing_stage_name(RoutingStage stage) {
  return stage == RoutingStage::router ? "router" : "experts";
}

std::optional<RoutingStage> routing_stage_named(std::string_view name) {
  for (const RoutingStage stage : {RoutingStage::router, RoutingStage::experts}) {
    if (routing_stage_name(stage) == name) return stage;
  }
  return std::nullopt;
}

RoutingCell routing_cell(const std::string& option, const Trace& trace, RoutingStage stage, const Index& asked,
                         const CancelToken& cancel) {
  const std::int64_t layer = trace.inputs->layer;
  if (trace.model == nullptr) check_has_experts(nullptr, layer, option);
  const ModelTrace& model = *trace.model;
  const Tensor rows = routed_rows(model, layer, option);
  const BlockWeights block = model.checkpoint->block(layer);
  const MixtureRule& rule = *model.checkpoint->architecture().mixture;
  const bool router = stage == RoutingStage::router;
  const Index index = settled_cell(stage, asked, {rows.dim(0), rows.dim(1), router ? rule.experts : rule.chosen});
  const Tensor x = rows.sliced(0, index[0], index[0] + 1).sliced(1, index[1], index[1] + 1).dense_copy();
  const Routing routing = routing_of(rule, *block.experts, x, *model.backend, cancel);
  const Linear& map = block.experts->router;
  RoutedRow row{rule,
                *block.experts,
                x.values(),
                model.backend->linear(x, map.weight, map.bias, cancel).values(),
                routing.probabilities.values(),
                block.experts->correction.values(),
                {}};
  row.scores = choosing_scores(rule, row.logits, row.p, row.correction);
  RoutingTeller teller(row, index, layer);
  const double value = static_cast<double>((router ? routing.probabilities : routing.chosen).at({0, 0, index[2]}));
  return router ? teller.tell_router(value) : teller.tell_experts(value);
}

}  // namespace headscope
