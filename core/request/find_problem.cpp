// find_problem: the checks in their order; masks and scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/assert.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask_terms.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"
#include "core/request/past.h"
#include "core/request/problem_checks.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

// Options that only say something about seeded weights and vectors.
MaybeProblem checkpoint_option_problem(const Request& r) {
  const char* detail = "The weights come from a checkpoint and stay as they are.";
  if (r.init_gain != 1.0) {
    return Problem{"init-gain", "init-gain is for seeded weights", detail, {{"1", "init-gain", "1"}}};
  }
  if (r.embedding != Embedding::token) {
    return Problem{"embedding", "a checkpoint has embeddings of its own", detail, {{"token", "embedding", "token"}}};
  }
  if (r.position != Position::none) {
    return Problem{"position", "a checkpoint has positions of its own", detail, {{"none", "position", "none"}}};
  }
  return {};
}

// Adapters are changes of a checkpoint's weights.
MaybeProblem adapter_problem(const Request& r) {
  if (runs_checkpoint(r) || model_text_of(r.model).adapters.empty()) return {};
  return Problem{"adapter",
                 "an adapter needs the model that it was trained on",
                 "It changes the weights of a checkpoint: a model's folder, or a demo.",
                 {{"no adapter", "adapter", "none"}}};
}

MaybeProblem model_problem(const Request& r) {
  if (MaybeProblem problem = adapter_problem(r)) return problem;
  if (r.model != "seeded" && (!r.weights.empty() || is_attention_alone(r))) {
    const char* other = r.weights.empty() ? "query" : "weights";
    return Problem{"model",
                   fmt::format("model and {} exclude each other", other),
                   fmt::format("model says {}, and {} names a file: only one of them can be used.", r.model, other),
                   {{"use seeded", "model", "seeded"}}};
  }
  if (r.model.empty()) {
    return Problem{"model",
                   "the model has no name",
                   "It is seeded, demo:NAME, a checkpoint folder or a capture.",
                   {{"seeded", "model", "seeded"}}};
  }
  if (runs_capture(r)) return capture_problem(r);
  if (runs_checkpoint(r)) return checkpoint_option_problem(r);
  if (r.layer && *r.layer != 0) {
    return Problem{"layer",
                   fmt::format("there is no layer {}", *r.layer),
                   "This model has one layer, number 0.",
                   {{"0", "layer", "0"}}};
  }
  if (!r.weights.empty() && r.init_gain != 1.0) {
    return Problem{"init-gain",
                   "init-gain is for seeded weights",
                   "The weights come from a file and stay as they are.",
                   {{"1", "init-gain", "1"}}};
  }
  return {};
}

MaybeProblem mask_problem(const Request& r) {
  for (const MaskTerm& term : r.mask) {
    if (term.kind == MaskTerm::Kind::file && term.path.empty()) {
      return Problem{"mask", "the mask file has no name", "Give the path of a .npy or .csv file.", {}};
    }
    const MaskTermInfo& info = mask_term_info(term.kind);
    if (info.takes_number() && term.size < 0) {
      return Problem{"mask",
                     fmt::format("{} is negative", spelled(term)),
                     fmt::format("It counts {}: 0 or more.", info.counts),
                     {}};
    }
  }
  if (r.past < kPastOfNone) {
    return Problem{
        "past", fmt::format("{} is no place of a key", r.past), "Places count from 0.", {{"0", "past", "0"}}};
  }
  if (r.past > 0 && r.causal_align == CausalAlign::bottom_right) {
    return Problem{"past",
                   "past and causal-align bottom-right exclude each other",
                   "Both say where the diagonal starts: at that key, or where the last query meets the last key.",
                   {{"top left", "causal-align", "top-left"}, {"no past", "past", "0"}}};
  }
  const bool below = r.mask_fill == -std::numeric_limits<double>::infinity();
  if (!below && !(std::abs(r.mask_fill) <= static_cast<double>(std::numeric_limits<float>::max()))) {
    return Problem{"mask-fill",
                   fmt::format("{} cannot fill hidden cells", r.mask_fill),
                   "It is -inf, or a number that a float32 holds.",
                   {{"-inf", "mask-fill", "-inf"}, {"-1e20", "mask-fill", "-1e20"}}};
  }
  if (r.softcap && r.mask_order == MaskOrder::before_scale) {
    return Problem{"softcap",
                   "softcap needs the mask after scaling",
                   "The cap comes after scaling and before the mask; with before-scale that order cannot be.",
                   {{"mask after scaling", "mask-order", "after-scale"}, {"softcap off", "softcap", "off"}}};
  }
  // The model's own mask is known when it is open.
  if (has_variant(r, Variant::mask_inverted) && r.mask.empty() && !any_painted(r) && !runs_checkpoint(r)) {
    return Problem{
        "variant", "mask-inverted has no mask to invert", "Choose a mask first.", {{"causal", "mask", "causal"}}};
  }
  return {};
}

MaybeProblem score_problem(const Request& r) {
  if (r.scale && !std::isfinite(*r.scale)) {
    return Problem{"scale",
                   "the scale is not a finite number",
                   "It multiplies every score; auto is 1/√head_dim.",
                   {{"auto", "scale", "auto"}}};
  }
  if (r.softcap && !(std::isfinite(*r.softcap) && *r.softcap > 0)) {
    return Problem{"softcap",
                   fmt::format("a softcap of {} caps nothing", *r.softcap),
                   "It is a positive number: scores stay between -C and C.",
                   {{"50", "softcap", "50"}}};
  }
  if (!(r.dropout >= 0 && r.dropout <= 1)) {
    return Problem{"dropout",
                   fmt::format("{} is not a probability", r.dropout),
                   "It lies between 0 and 1.",
                   {{"0", "dropout", "0"}, {"0.1", "dropout", "0.1"}}};
  }
  if (!(r.top_p > 0 && r.top_p <= 1)) {
    return Problem{"top-p",
                   fmt::format("{} is not a share of a row", r.top_p),
                   "It lies above 0 and is at most 1: 1 keeps every weight.",
                   {{"1", "top-p", "1"}, {"0.9", "top-p", "0.9"}}};
  }
  const bool no_scale = has_variant(r, Variant::no_scale);
  const bool by_width = has_variant(r, Variant::scale_by_d_model);
  if (no_scale && by_width) {
    return Problem{"variant", "no-scale and scale-by-d-model exclude each other", "Choose one of them.", {}};
  }
  if (r.scale && (no_scale || by_width)) {
    return Problem{"scale",
                   fmt::format("scale and {} exclude each other", no_scale ? "no-scale" : "scale-by-d-model"),
                   "The variant says how scores are scaled; leave scale at auto.",
                   {{"auto", "scale", "auto"}}};
  }
  if (has_variant(r, Variant::qkv_blocked_as_per_head) && has_variant(r, Variant::qkv_per_head_as_blocked)) {
    return Problem{"variant",
                   "qkv-blocked-as-per-head and qkv-per-head-as-blocked exclude each other",
                   "The rows of the file lie one way only.",
                   {}};
  }
  for (const LayerHead& place : ablated_heads(r)) {
    if (place.layer != 0 && !runs_checkpoint(r) && !runs_capture(r)) {
      return Problem{"ablate",
                     fmt::format("there is no layer {}", place.layer),
                     "This model has one layer, number 0.",
                     {{fmt::format("0.{}", std::max<std::int64_t>(0, place.head)), "ablate",
                       fmt::format("0.{}", std::max<std::int64_t>(0, place.head))}}};
    }
    if (is_seeded(r)) {
      if (auto problem = ablate_problem(place.head, r.heads.value_or(kDefaultHeads), 0)) return problem;
    } else if (place.head < 0) {
      return Problem{"ablate", fmt::format("there is no head {}", place.head), "Heads count from 0.", {}};
    }
  }
  return {};
}

MaybeProblem patch_problem(const Request& r) {
  if (!any_on(r.patches) || !r.patch_from.empty()) return {};
  return Problem{"patch",
                 "there is no run to take numbers from",
                 "A is the run of a session: --patch-from SESSION.",
                 {{"no patch", "patch", "none"}}};
}

MaybeProblem first_problem(const Request& request) {
  for (const auto check : {model_problem, source_problem, size_problem, divisibility_problem, mask_problem,
                           score_problem, patch_problem, seeded_memory_problem}) {
    if (MaybeProblem problem = check(request)) return problem;
  }
  return {};
}

// What is offered runs, or at least leaves only a problem of another option.
bool helps(const Request& request, const Problem& problem, const Suggestion& suggestion) {
  const RequestOption* option = find_request_option(suggestion.option);
  HEADSCOPE_ASSERT(option != nullptr, suggestion.option);
  Request changed = request;
  option->set(changed, suggestion.value);
  const MaybeProblem left = first_problem(changed);
  return !left || left->option != problem.option;
}

}  // namespace

std::optional<Problem> find_problem(const Request& request) {
  MaybeProblem problem = first_problem(request);
  if (problem) {
    std::erase_if(problem->suggestions, [&](const Suggestion& each) { return !helps(request, *problem, each); });
  }
  return problem;
}

}  // namespace headscope
