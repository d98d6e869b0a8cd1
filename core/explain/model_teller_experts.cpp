// What the experts that a token goes to add up to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/explain/explainer.h"
#include "core/explain/model_teller.h"
#include "core/model/experts.h"

namespace headscope {

// What an expert's last matrix reads, as join() in core/model/experts.cpp makes it.
ModelRow ModelTeller::hidden_of(const Expert& expert, const ModelRow& x) const {
  const ModelRow up = times(expert.up, x);
  ModelRow gate = times(expert.gate, x);
  if (const auto& clamp = architecture_.mixture->clamp) {
    for (std::size_t k = 0; k < gate.size(); ++k) {
      const double g = std::min(gate[k], clamp->limit), u = std::clamp(up[k], -clamp->limit, clamp->limit);
      gate[k] = g / (1 + std::exp(-clamp->slope * g)) * (u + 1);
    }
    return gate;
  }
  gate = activated(architecture_.activation, gate);
  for (std::size_t k = 0; k < gate.size(); ++k) gate[k] *= up[k];
  return gate;
}

// The cell's feature of an expert's result, as one step.
double ModelTeller::tell_expert(const std::string& name, const Expert& expert, const ModelRow& x, double factor) {
  const ModelRow hidden = hidden_of(expert, x);
  std::vector<float> weights(hidden.size());
  expert.down.weight.read({{feature_, feature_ + 1}, {0, static_cast<std::int64_t>(hidden.size())}}, weights);
  double total = 0;
  for (std::size_t k = 0; k < hidden.size(); ++k) {
    const auto at = static_cast<std::int64_t>(k);
    const auto weight = static_cast<double>(weights[k]);
    operand(name + ".hidden", {layer_, batch_, position_, at}, hidden[k]);
    operand(name + ".down.weight", {feature_, at}, weight, SourceRole::projection);
    cell_.magnitude += std::abs(factor * hidden[k] * weight);
    total += hidden[k] * weight;
  }
  std::string text = fmt::format("Σ over {} features", hidden.size());
  if (!expert.down.bias.empty()) {
    const auto bias = static_cast<double>(expert.down.bias.at({feature_}));
    operand(name + ".down.bias", {feature_}, bias, SourceRole::bias);
    cell_.magnitude += std::abs(factor * bias);
    text += fmt::format(": {} + {}", step_text(total), in_brackets(bias, operand_text(bias)));
    total += bias;
  }
  step(name, text, total);
  return total;
}

void ModelTeller::tell_experts() {
  HEADSCOPE_ASSERT(!architecture_.norms_result(), "no family norms what its experts add up to");
  const BlockWeights weights = block();
  const ExpertWeights& experts = *weights.experts;
  const MixtureRule& rule = *architecture_.mixture;
  const bool shared = !experts.shared.up.empty();
  const ModelRow x = row(ModelStageId::mlp_in, layer_);
  const Tensor in = Tensor::of({1, 1, static_cast<std::int64_t>(x.size())},
                               {Axis::batch, Axis::position, Axis::feature}, {x.begin(), x.end()});
  const Routing routing = routing_of(rule, experts, in, *model_.backend, cancel_);
  cell_.formula = fmt::format(
      "mlp_out[l,b,i,d] = Σ_e factor[e] · expert_e[d] over the chosen e{}, expert_e[d] = Σ_k down[d,k] · hidden[k]",
      shared ? " + shared[d]" : "");
  std::vector<std::pair<std::int64_t, double>> chosen;  // as the model adds them: by their numbers
  for (std::int64_t k = 0; k < rule.chosen; ++k) {
    chosen.emplace_back(static_cast<std::int64_t>(routing.chosen.at({0, 0, k})),
                        static_cast<double>(routing.factors.at({0, 0, k})));
  }
  std::sort(chosen.begin(), chosen.end());
  std::string text;
  double total = 0;
  for (const auto& [expert, factor] : chosen) {
    operand("factor", {layer_, batch_, position_, expert}, factor);
    const std::string name = fmt::format("expert {}", expert);
    const double made = tell_expert(name, experts.experts[static_cast<std::size_t>(expert)], x, factor);
    cell_.terms.push_back({expert, factor, made});
    text +=
        fmt::format("{}{} · {}", text.empty() ? "" : " + ", operand_text(factor), in_brackets(made, step_text(made)));
    total += factor * made;
  }
  step("sum", text, total);
  if (!shared) return;
  const double made = tell_expert("shared", experts.shared, x, 1);
  step("+ shared", step_text(total) + " + " + in_brackets(made, step_text(made)), total + made);
}

}  // namespace headscope
