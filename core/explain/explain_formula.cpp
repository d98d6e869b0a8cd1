#include "core/explain/explain_formula.h"

#include <fmt/format.h>

#include "core/attention/score_rule_of.h"
#include "core/attention/stage_layout.h"
#include "core/base/assert.h"
#include "core/model/row_norm.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

std::string of_projection(const CellOrigin& origin, const char* position) {
  const CellSource& weight = origin.sources[1];
  // A file that stores [in, out] is read as it lies.
  const bool transposed = weight.region[1].size() == 1 && weight.region[0].size() != 1;
  std::string text =
      fmt::format("Σ_d {}[b,{},d] · {}[{}]", origin.sources[0].name, position, weight.name, transposed ? "d,o" : "o,d");
  if (origin.sources.size() > 2) text += fmt::format(" + {}[o]", origin.sources[2].name);
  return text;
}

std::string of_products(StageId stage, const Trace& trace, const CellOrigin& origin) {
  const bool grouped = trace.inputs->num_kv_heads != trace.inputs->num_heads;
  const char* head = grouped ? "g" : "h";
  if (stage == StageId::raw_scores) {
    const bool as_it_lies = has_variant(trace.request, Variant::key_not_transposed);
    return fmt::format("Σ_d query[b,h,i,d] · key[b,{},{}]", head, as_it_lies ? "d,j" : "j,d");
  }
  if (stage == StageId::c2p || stage == StageId::p2c) {
    return fmt::format("Σ_d {} · {}[h,r(i,j),d]{}", stage == StageId::c2p ? "query[b,h,i,d]" : "key[b,h,j,d]",
                       origin.sources[1].name, origin.scale == 1.0 ? "" : " · scale");
  }
  if (stage == StageId::context) {
    return fmt::format("Σ_j {}[b,h,i,j] · value[b,{},j,d]", origin.sources[0].name, head);
  }
  return of_projection(origin, rows_are_keys(stage) ? "j" : "i");
}

std::string of_formula(StageId stage, const CellOrigin& origin) {
  const StageInfo& info = stage_info(stage);
  return spelled_formula(info.formula->value,
                         {.cell =
                              [&](std::size_t k) {
                                const std::string cell = fmt::format("{}[{}]", origin.sources[k].name, info.letters);
                                return origin.added && k == 0 ? fmt::format("({} + added[{}])", cell, info.letters)
                                                              : cell;
                              },
                          .parameter = [](const FormulaParameter& parameter) { return std::string(parameter.name); }});
}

std::string of_masked(const Trace& trace, const CellOrigin& origin) {
  const bool before_scale = trace.request.mask_order == MaskOrder::before_scale;
  const std::string score = origin.sources.empty() ? (before_scale                  ? "raw_scores"
                                                      : trace.as_computed().softcap ? "capped_scores"
                                                                                    : "scores")
                                                   : origin.sources[0].name;
  std::string positions;
  for (const StageId stage : {StageId::c2p, StageId::p2c}) {
    if (trace.find(stage) != nullptr) positions += fmt::format(" + {}[b,h,i,j]", stage_name(stage));
  }
  const std::string masked = fmt::format(
      "hidden ? fill : {}[b,h,i,j]{}{}", score, positions,
      trace.terms().added.empty() || caps_added(trace.as_computed(), *trace.mask) ? "" : " + added[b,h,i,j]");
  return before_scale ? "(" + masked + ") · scale" : masked;
}

std::string right_side(const Trace& trace, StageId stage, const CellOrigin& origin) {
  switch (origin.step) {
    case CellStep::given:
      return trace.find(stage)->operation;
    case CellStep::copied: {
      const CellSource& from = origin.sources[0];
      if (stage == StageId::concat) {
        return from.name + (trace.request.merge == Merge::transpose ? "[b,h,i,d'], d = h · head_dim + d'"
                                                                    : " read in memory order, not transposed");
      }
      if (is_score_like(stage)) return from.name + "[b,h,i,j]";
      return "one cell of " + from.name;
    }
    case CellStep::products:
      return of_products(stage, trace, origin);
    case CellStep::rotated:
      return trace.find(stage)->operation;
    case CellStep::scaled:
      return "raw_scores[b,h,i,j] · scale";
    case CellStep::formula:
      return of_formula(stage, origin);
    case CellStep::masked:
      return of_masked(trace, origin);
    case CellStep::softmax: {
      const bool down = has_variant(trace.request, Variant::softmax_over_queries);
      const char* along = down ? "i" : "j";
      if (origin.sources.size() > 1) {
        return fmt::format(
            "exp(masked_scores[b,h,i,j] − m) / (Σ_j exp(masked_scores − m) + exp({}[h] − m)), m the "
            "largest of both",
            origin.sources[1].name);
      }
      return fmt::format(
          "exp(masked_scores[b,h,i,j] − max_{0} masked_scores) / Σ_{0} exp(masked_scores − max_{0} masked_scores)",
          along);
    }
    case CellStep::dropped:
      return "weights[b,h,i,j] · kept / (1 − dropout)";
    case CellStep::ablated:
      return "0, the head is switched off";
    case CellStep::frozen:
      return "held, whatever the scores are";
    case CellStep::sink_share:
      return fmt::format(
          "exp({0}[h] − m) / (Σ_j exp(masked_scores[b,h,i,j] − m) + exp({0}[h] − m)), m the largest of "
          "both",
          origin.sources[1].name);
    case CellStep::normed:
      return trace.inputs->output_norm->scales ? "output[b,i,d] · scale[d]"
                                               : fmt::format("{} of output[b,i,:]", trace.inputs->output_norm->text());
  }
  HEADSCOPE_ASSERT(false, std::string(stage_name(stage)));
  return {};
}

}  // namespace

std::string formula_text(const Trace& trace, StageId stage, const CellOrigin& origin) {
  return fmt::format("{}[{}] = {}{}{}", stage_name(stage), stage_info(stage).letters, right_side(trace, stage, origin),
                     origin.factor == 1.0 ? "" : fmt::format(", · {}", factor_kind(stage)->option.name),
                     origin.put ? ", then " + origin.put->step : "");
}

}  // namespace headscope
