// Why a token of a mixture goes to an expert, or to none: formula, operands, steps in double.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/explain/explain.h"

namespace headscope {

// `router` [batch, len, experts] and `experts` [batch, len, chosen] of a layer (Routing in core/model/experts.h).
enum class RoutingStage { router, experts };
std::string_view routing_stage_name(RoutingStage stage);
// nullopt for another name.
std::optional<RoutingStage> routing_stage_named(std::string_view name);

struct RoutingCell {
  RoutingStage stage{};
  Index index;                     // in the stage's own axes
  double value = 0;                // as stored: a float32
  std::string formula;             // "router[b,i,e] = softmax over e of Σ_d router.weight[e,d] · mlp_in[b,i,d]"
  std::vector<ExplainStep> steps;  // never empty; the last one's value is the cell's
  // "mlp_in" [layer, batch, position, feature] beside "router.weight" [expert, feature], "router.bias", "correction";
  // of `experts` the row of "router" [batch, position, expert].
  std::vector<Operand> operands;
  double magnitude = 0;  // Σ |terms| of the logit, else |value|: rounding errors are relative to it
  // Of the expert of the cell: its place among all, the first 0, whether it is among those that are chosen, and the
  // steps from its probability to what its result is multiplied by in mlp_out, 0 where it is not chosen.
  std::int64_t expert = 0, rank = 0;
  bool chosen = false;
  std::vector<ExplainStep> choice;
};

// Explains a cell of the layer of the trace (Trace::inputs). The last of `steps` is within 1e-5 of the value, relative
// to `magnitude`, and the last of `choice` within 1e-5 of Routing::factors. UsageError, which names `option`, for a
// model or layer without experts; "at" for a cell that is not there. Throws Cancelled.
RoutingCell routing_cell(const std::string& option, const Trace& trace, RoutingStage stage, const Index& index,
                         const CancelToken& cancel);

}  // namespace headscope
