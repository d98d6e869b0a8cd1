#include "app/ui/request/head_changes.h"

#include <algorithm>

#include "app/session/session.h"
#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/request/intervention_kinds.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {
namespace {

// Heads of a group read one key, which the options count by itself.
LayerHead place_of_change(const Ui& ui, StageId stage, const LayerHead& place) {
  const auto trace = ui.session.trace();
  if (!factor_kind(stage)->of_key_heads || trace == nullptr) return place;
  const std::int64_t group = trace->num_heads() / std::max<std::int64_t>(1, trace->inputs->num_kv_heads);
  return {place.layer, place.head / std::max<std::int64_t>(1, group)};
}

}  // namespace

bool is_off(const Ui& ui, const LayerHead& place) {
  return is_ablated(ui.session.draft, place);
}

void switch_head(Ui& ui, const LayerHead& place) {
  if (const char* why = why_heads_stay(ui); why != nullptr && !is_off(ui, place)) {
    return put_notice(ui.state, {Notice::Kind::info, "The head cannot be switched off.", why, "switch-head"});
  }
  ui.session.end_undo_step();
  put_ablated(ui.session.draft, place, !is_off(ui, place));
}

std::optional<FrozenHead::As> held_as(const Ui& ui, const LayerHead& place) {
  for (const FrozenHead& head : ui.session.draft.freeze) {
    if (head.on && head.place == place) return head.as;
  }
  return std::nullopt;
}

void hold_head(Ui& ui, const LayerHead& place, std::optional<FrozenHead::As> as) {
  ui.session.end_undo_step();
  Request& draft = ui.session.draft;
  put_ablated(draft, place, false);
  put_freeze(draft, place, as);
}

double head_factor(const Ui& ui, StageId stage, const LayerHead& place) {
  const LayerHead own = place_of_change(ui, stage, place);
  for (const HeadFactor& head : *factors_of(ui.session.draft, stage)) {
    if (head.on && head.place == own) return head.factor;
  }
  return 1.0;
}

void multiply_head(Ui& ui, StageId stage, const LayerHead& place, double factor) {
  put_factor(ui.session.draft.*factor_kind(stage)->field, place_of_change(ui, stage, place), factor);
}

void leave_as_computed(Ui& ui, const LayerHead& place) {
  hold_head(ui, place, std::nullopt);
  for (const StageId stage : multiplied_stages()) multiply_head(ui, stage, place, 1);
}

bool computes_heads(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->num_heads() > 0 && (trace->model == nullptr || !trace->model->captured);
}

const char* why_heads_stay(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr || trace->model->capture == nullptr) return nullptr;
  return capture_lock(*trace->model->capture, "ablate");
}

std::int64_t shown_layer(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->model != nullptr ? trace->model->layer : ui.session.draft.layer.value_or(0);
}

}  // namespace headscope::ui
