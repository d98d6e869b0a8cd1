#include "core/heads/aggregate_kind.h"

#include <string>

#include "core/base/assert.h"

namespace headscope {

const std::array<Aggregate, 4>& all_aggregates() {
  static constexpr std::array<Aggregate, 4> all = {Aggregate::mean, Aggregate::max, Aggregate::rollout,
                                                   Aggregate::flow};
  return all;
}

std::string_view aggregate_name(Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::mean:
      return "mean";
    case Aggregate::max:
      return "max";
    case Aggregate::rollout:
      return "rollout";
    case Aggregate::flow:
      return "flow";
  }
  HEADSCOPE_ASSERT(false, "aggregate " + std::to_string(static_cast<int>(aggregate)));
  return "";
}

std::optional<Aggregate> aggregate_named(std::string_view name) {
  for (const Aggregate aggregate : all_aggregates()) {
    if (aggregate_name(aggregate) == name) return aggregate;
  }
  return std::nullopt;
}

std::string_view aggregate_formula(Aggregate aggregate) {
  switch (aggregate) {
    case Aggregate::mean:
      return "mean over all layers and heads of w[i, j]";
    case Aggregate::max:
      return "maximum over all layers and heads of w[i, j]";
    case Aggregate::rollout:
      return "Â_L · ... · Â_1 with Â = 0.5 A + 0.5 I, rows renormalised, A the mean over heads (Abnar & Zuidema 2020)";
    case Aggregate::flow:
      return "maximum flow from query i of the last layer to input token j, capacities Â = 0.5 A + 0.5 I, A the mean "
             "over heads (Abnar & Zuidema 2020)";
  }
  HEADSCOPE_ASSERT(false, "aggregate " + std::to_string(static_cast<int>(aggregate)));
  return "";
}

}  // namespace headscope
