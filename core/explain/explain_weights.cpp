// The steps from a masked score to a weight: mask, softmax, hidden rows, frozen heads, dropout.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/interventions.h"
#include "core/backend/score_steps.h"
#include "core/explain/explain_formula.h"
#include "core/explain/explainer.h"
#include "core/explain/weight_cells.h"
#include "core/model/past.h"

namespace headscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<MaskPart> Explainer::parts_here() const {
  const Inputs& inputs = *trace_.inputs;
  const bool extra_key = !inputs.weights.bias_k.empty();
  if (extra_key && to_.index[3] == inputs.key_len) return {};
  return mask_parts(with_past(trace_.request, inputs), inputs.mask_files,
                    {.batch = inputs.batch,
                     .heads = inputs.num_heads,
                     .query_len = inputs.query_len,
                     .key_len = trace_.key_len(),
                     .extra_key = extra_key},
                    inputs.own_mask, {to_.index[0], to_.index[1], to_.index[2], to_.index[3]});
}

std::string Explainer::hidden_by() const {
  std::string names;
  for (const MaskPart& part : parts_here()) {
    if (!part.hides) continue;
    const bool of_file = std::any_of(trace_.inputs->mask_files.begin(), trace_.inputs->mask_files.end(),
                                     [&](const MaskFile& file) { return file.path == part.name; });
    names += (names.empty() ? "" : ", ") + (of_file ? cell_name(part.name, part.index) : part.name);
  }
  if (has_variant(trace_.request, Variant::mask_inverted)) return "no term does, and mask-inverted exchanges the two";
  return names.empty() ? "what the masks add together is below every number" : names;
}

void Explainer::add_added(double score, double added) {
  std::string sum = operand_text(score);
  bool any = origin_.sources.size() > 1;
  for (std::size_t k = 1; k < origin_.sources.size(); ++k) {
    const double part = add_operand(origin_.sources[k]).value;
    sum += fmt::format(" + {} ({})", in_brackets(part, operand_text(part)), origin_.sources[k].name);
  }
  for (const MaskPart& part : parts_here()) {
    if (part.hides) continue;
    any = true;
    to_.operands.push_back({part.name, part.index, part.added, SourceRole::mask});
    sum +=
        fmt::format(" + {} ({})", in_brackets(part.added, operand_text(part.added)), cell_name(part.name, part.index));
  }
  step("+ mask", any ? sum : sum + " + " + in_brackets(added, operand_text(added)), score + added);
}

void Explainer::add_mask() {
  const bool before_scale = trace_.request.mask_order == MaskOrder::before_scale;
  if (origin_.sources.empty()) {
    const double fill = trace_.request.mask_fill;
    const bool infinite = fill < -static_cast<double>(std::numeric_limits<float>::max());
    step("hidden", "the mask hides this key from this query: " + hidden_by(), infinite ? -kInfinity : fill);
  } else {
    add_added(add_operand(origin_.sources[0]).value, added_by_mask(trace_, to_.index));
  }
  if (!before_scale || trace_.scale == 1.0) return;
  const double masked = last();
  // -inf stays what it is, whatever the scale.
  step("× scale", step_text(masked) + " · " + step_text(trace_.scale),
       origin_.sources.empty() && masked == -kInfinity ? masked : masked * trace_.scale);
}

Explainer::SoftmaxRow Explainer::add_softmax_row() {
  const CellSource& row = origin_.sources[0];
  const std::vector<Index> cells = cells_of(row.region);
  SoftmaxRow result{values_of(row), -kInfinity, 0, ""};
  const auto take = [&result](double score) {
    const bool nan = std::isnan(score) || std::isnan(result.maximum);
    result.maximum = nan ? std::nan("") : std::max(result.maximum, score);
  };
  for (std::size_t j = 0; j < cells.size(); ++j) {
    add_operand(row, cells[j], result.scores[j]);
    take(result.scores[j]);
  }
  const bool down = has_variant(trace_.request, Variant::softmax_over_queries);
  result.over = fmt::format("{} {}", cells.size(), down ? "queries" : "keys");
  if (origin_.sources.size() > 1) {
    take(add_operand(origin_.sources[1]).value);
    result.over += " and the sink";
    result.sum = std::exp(to_.operands.back().value - result.maximum);
  }
  for (const double score : result.scores) result.sum += std::exp(score - result.maximum);
  return result;
}

void Explainer::add_softmax() {
  const SoftmaxRow row = add_softmax_row();
  const double score = row.scores[static_cast<std::size_t>(origin_.at)];
  const bool down = has_variant(trace_.request, Variant::softmax_over_queries);
  step(down ? "column maximum" : "row maximum", "the largest of " + row.over, row.maximum);
  step("− maximum", operand_text(score) + " − " + in_brackets(row.maximum, operand_text(row.maximum)),
       score - row.maximum);
  step("exp", "exp(" + step_text(last()) + ")", std::exp(score - row.maximum));
  const double power = last();
  step(down ? "column sum" : "row sum", "Σ exp(score − maximum) over " + row.over, row.sum);
  step(down ? "÷ column sum" : "÷ row sum", step_text(power) + " / " + step_text(row.sum), power / row.sum);
  to_.magnitude = std::abs(last());
  add_weight_rules(row.scores.size());
}

void Explainer::add_sink_share() {
  const SoftmaxRow row = add_softmax_row();
  const double sink = to_.operands.back().value;
  step("row maximum", "the largest of " + row.over, row.maximum);
  step("− maximum", operand_text(sink) + " − " + in_brackets(row.maximum, operand_text(row.maximum)),
       sink - row.maximum);
  step("exp", "exp(" + step_text(last()) + ")", std::exp(sink - row.maximum));
  const double power = last();
  step("row sum", "Σ exp(score − maximum) over " + row.over, row.sum);
  step("÷ row sum", step_text(power) + " / " + step_text(row.sum), power / row.sum);
  to_.magnitude = std::abs(last());
  const HiddenCells& hidden = trace_.mask->hidden;
  if (trace_.request.fully_masked != FullyMasked::uniform || !hidden.any()) return;
  if (hidden.all_hidden(to_.index[0], to_.index[1], to_.index[2])) {
    step("fully masked", "every key is hidden: all weight is made the keys'", 0.0);
  }
}

void Explainer::add_weight_rules(std::size_t keys) {
  const HiddenCells& hidden = trace_.mask->hidden;
  if (!hidden.any()) return;
  const std::int64_t b = to_.index[0], h = to_.index[1], i = to_.index[2], j = to_.index[3];
  const FullyMasked policy = trace_.request.fully_masked;
  if (policy != FullyMasked::as_computed && hidden.all_hidden(b, h, i)) {
    const bool zero = policy == FullyMasked::zero;
    const auto count = static_cast<double>(hidden.key_len());
    step("fully masked", zero ? "every key is hidden: 0" : fmt::format("every key is hidden: 1 / {}", keys),
         zero ? 0.0 : 1.0 / count);
  } else if (has_variant(trace_.request, Variant::mask_after_softmax) && hidden.hidden(b, h, i, j)) {
    step("mask", "hidden after the softmax: 0", 0.0);
  }
}

void Explainer::add_frozen() {
  if (to_.stage == StageId::sink_weights) return step("head held", "the weights of the keys are held: 0", 0.0);
  const std::int64_t b = to_.index[0], h = to_.index[1], i = to_.index[2], j = to_.index[3];
  const HiddenCells& hidden = trace_.mask->hidden;
  const FrozenHead* head = frozen_head(trace_.request, trace_.inputs->layer, h);
  if (hidden.hidden(b, h, i, j)) return step("head held", "hidden: 0", 0.0);
  if (head->as == FrozenHead::As::uniform) {
    const std::int64_t visible = hidden.visible_count(b, h, i);
    return step("head held", fmt::format("uniform: 1 / {} visible keys", visible), 1.0 / static_cast<double>(visible));
  }
  const bool own = j == i + own_diagonal(trace_.request, *trace_.inputs);
  step("head held", own ? "identity: 1 at the query's own place" : "identity: 0 but at the query's own place",
       own ? 1.0 : 0.0);
}

void Explainer::add_dropout() {
  const double weight = add_operand(origin_.sources[0]).value;
  const double p = trace_.request.dropout;
  const Tensor& mask = trace_.inputs->dropout_mask;
  const std::int64_t j = to_.index[3];
  bool kept = DropoutDraw(trace_.request.dropout_seed, to_.index[0], to_.index[1], to_.index[2]).at(j) >= p;
  if (!mask.empty()) {
    Index at;
    const int skipped = 4 - mask.rank();
    for (int axis = 0; axis < mask.rank(); ++axis) at.push_back(mask.dim(axis) == 1 ? 0 : to_.index[skipped + axis]);
    kept = mask.at(at) != 0.0F;
  }
  if (kept && p < 1.0) {
    step("dropout", fmt::format("kept: {} / (1 − {})", operand_text(weight), step_text(p)), weight / (1.0 - p));
  } else {
    step("dropout", "dropped: " + operand_text(weight) + " · 0", weight * 0.0);
  }
}

}  // namespace headscope
