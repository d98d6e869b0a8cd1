#include "app/ui/request/head_changes.h"

#include <algorithm>

#include "core/attention/model_trace.h"
#include "core/request/intervention_list.h"

namespace headscope::ui {
namespace {

// Heads of a group read one key, which the options count by itself.
LayerHead place_of(const Ui& ui, HeadPart part, const LayerHead& place) {
  const auto trace = ui.session.trace();
  if (part == HeadPart::query || trace == nullptr) return place;
  const std::int64_t group = trace->num_heads() / std::max<std::int64_t>(1, trace->inputs->num_kv_heads);
  return {place.layer, place.head / std::max<std::int64_t>(1, group)};
}

}  // namespace

bool is_off(const Ui& ui, const LayerHead& place) {
  const std::vector<LayerHead>& off = ui.session.draft.ablate;
  return std::find(off.begin(), off.end(), place) != off.end();
}

void switch_head(Ui& ui, const LayerHead& place) {
  ui.session.end_undo_step();
  std::vector<LayerHead>& off = ui.session.draft.ablate;
  std::erase(ui.session.draft.ablate_off, place);
  if (std::erase(off, place) == 0) off.push_back(place);
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
  std::erase(draft.ablate, place);
  std::erase(draft.ablate_off, place);
  put_freeze(draft, place, as);
}

double head_factor(const Ui& ui, HeadPart part, const LayerHead& place) {
  const Request& draft = ui.session.draft;
  const LayerHead own = place_of(ui, part, place);
  for (const HeadFactor& head : part == HeadPart::query ? draft.scale_query : draft.scale_key) {
    if (head.on && head.place == own) return head.factor;
  }
  return 1.0;
}

void multiply_head(Ui& ui, HeadPart part, const LayerHead& place, double factor) {
  Request& draft = ui.session.draft;
  put_factor(part == HeadPart::query ? draft.scale_query : draft.scale_key, place_of(ui, part, place), factor);
}

void leave_as_computed(Ui& ui, const LayerHead& place) {
  hold_head(ui, place, std::nullopt);
  multiply_head(ui, HeadPart::query, place, 1);
  multiply_head(ui, HeadPart::key, place, 1);
}

bool computes_heads(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->num_heads() > 0 && (trace->model == nullptr || !trace->model->captured);
}

std::int64_t shown_layer(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && trace->model != nullptr ? trace->model->layer : ui.session.draft.layer.value_or(0);
}

}  // namespace headscope::ui
