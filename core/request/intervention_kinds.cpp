#include "core/request/intervention_kinds.h"

namespace headscope {

bool any_acts(const Interventions& of, InterventionEffect effect) {
  bool any = false;
  visit_interventions(
      of, [&](const auto& kind, const auto& list) { any = any || (kind.effect == effect && any_on(list)); });
  return any;
}

bool any_acts(const Interventions& of) {
  bool any = false;
  visit_interventions(of, [&](const auto&, const auto& list) { any = any || any_on(list); });
  return any;
}

std::vector<LayerHead> ablated_heads(const Interventions& of) {
  std::vector<LayerHead> heads;
  for (const AblatedHead& head : of.ablate) {
    if (head.on) heads.push_back(head.place);
  }
  return heads;
}

bool is_ablated(const Interventions& of, const LayerHead& place) {
  return std::any_of(of.ablate.begin(), of.ablate.end(),
                     [&](const AblatedHead& head) { return head.on && head.place == place; });
}

std::vector<StageId> multiplied_stages() {
  std::vector<StageId> stages;
  for_each_kind([&]<typename Item>(const InterventionKind<Item>& kind) {
    if constexpr (std::is_same_v<Item, HeadFactor>) stages.push_back(*kind.changes);
  });
  return stages;
}

const InterventionKind<HeadFactor>* factor_kind(StageId stage) {
  const InterventionKind<HeadFactor>* found = nullptr;
  for_each_kind([&]<typename Item>(const InterventionKind<Item>& kind) {
    if constexpr (std::is_same_v<Item, HeadFactor>) {
      if (kind.changes == stage) found = &kind;
    }
  });
  return found;
}

const std::vector<HeadFactor>* factors_of(const Interventions& of, StageId stage) {
  const InterventionKind<HeadFactor>* kind = factor_kind(stage);
  return kind == nullptr ? nullptr : &(of.*kind->field);
}

void arrange(std::vector<AblatedHead>& list) {
  const auto order = [](const AblatedHead& head) { return std::tuple(!head.on, head.place.layer, head.place.head); };
  std::sort(list.begin(), list.end(), [&](const AblatedHead& a, const AblatedHead& b) { return order(a) < order(b); });
}

}  // namespace headscope
