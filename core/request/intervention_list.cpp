#include "core/request/intervention_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

std::string head_name(const LayerHead& place, bool with_layers) {
  return with_layers ? fmt::format("layer {}, head {}", place.layer, place.head) : fmt::format("head {}", place.head);
}

std::string range_name(const char* one, std::int64_t begin, std::int64_t end) {
  if (begin == 0 && end == PaintedCells::kToTheEnd) return fmt::format("every {}", one);
  if (end == PaintedCells::kToTheEnd) return fmt::format("{} {} on", one, begin);
  if (end == begin + 1) return fmt::format("{} {}", one, begin);
  return fmt::format("{} {}–{}", one, begin, end - 1);
}

std::string places_text(const PlaceSpan& places) {
  return places.first == places.last ? fmt::format("position {}", places.first)
                                     : fmt::format("positions {}..{}", places.first, places.last);
}

// What is said of one of them: Intervention::label and clause.
struct Words {
  std::string label, clause;
};

Words words_of(const InterventionKind<AblatedHead>&, const AblatedHead& ablated, bool with_layers) {
  const std::string head = head_name(ablated.place, with_layers);
  return {head + ": context = 0", head + " off"};
}

Words words_of(const InterventionKind<FrozenHead>&, const FrozenHead& frozen, bool with_layers) {
  const std::string head = head_name(frozen.place, with_layers);
  const char* as = frozen.as == FrozenHead::As::uniform ? "uniform" : "identity";
  return {fmt::format("{}: weights {}", head, as), fmt::format("{} weights in {}", as, head)};
}

Words words_of(const InterventionKind<HeadFactor>& kind, const HeadFactor& factor, bool with_layers) {
  const std::string what = fmt::format("{} × {}", stage_name(*kind.changes), factor.factor);
  if (!factor.place) return {what, what};
  const std::string head = head_name(*factor.place, with_layers);
  return {fmt::format("{}: {}", head, what), fmt::format("{} in {}", what, head)};
}

Words words_of(const InterventionKind<NumberEdit>&, const NumberEdit& edit, bool with_layers) {
  const std::string layer = with_layers && edit.layer ? fmt::format("layer {}, ", *edit.layer) : "";
  const std::string what = fmt::format("{}{}[{}] = {}", layer, edit.tensor, fmt::join(edit.index, ","), edit.value);
  return {what, what};
}

Words words_of(const InterventionKind<PaintedCells>&, const PaintedCells& cells, bool) {
  const std::string where = range_name("query", cells.query_begin, cells.query_end) + ", " +
                            range_name("key", cells.key_begin, cells.key_end);
  return {(cells.hides ? "hide " : "show ") + where, where + (cells.hides ? " hidden" : " shown")};
}

Words words_of(const InterventionKind<PatchedStage>&, const PatchedStage& patch, bool with_layers) {
  std::string what = with_layers && patch.layer ? fmt::format("layer {}, {}", *patch.layer, patch.stage) : patch.stage;
  if (patch.head) what += fmt::format(" of head {}", *patch.head);
  if (patch.position) what += fmt::format(", position {}", *patch.position);
  return {what + " of A", what + " of A"};
}

Words words_of(const InterventionKind<StageArray>&, const StageArray& array, bool with_layers) {
  std::string where = with_layers && array.layer ? fmt::format("layer {}, {}", *array.layer, array.stage) : array.stage;
  if (array.head) where += fmt::format(" of head {}", *array.head);
  if (array.places) where += ", " + places_text(*array.places);
  const std::string numbers =
      array.file.empty() ? fmt::format("{}", array.number) : array.file.substr(array.file.find_last_of("/\\") + 1);
  const std::string factor = array.factor == 1.0 ? "" : fmt::format("{} × ", array.factor);
  const std::string what = array.use == ArrayUse::set   ? fmt::format("{} = {}", where, numbers)
                           : array.use == ArrayUse::add ? fmt::format("{} + {}{}", where, factor, numbers)
                                                        : fmt::format("{} without {}", where, numbers);
  return {what, what};
}

template <typename Item>
void erase_at(std::vector<Item>& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

template <typename Item>
void switch_at(std::vector<Item>& list, std::size_t index, bool on) {
  list[index].on = on;
}

template <typename Item>
void switch_all(std::vector<Item>& list, bool on) {
  for (Item& each : list) each.on = on;
}

// Ablated heads that are on stay first, and one that is switched comes last of its like.
auto first_off(std::vector<AblatedHead>& list) {
  return std::find_if(list.begin(), list.end(), [](const AblatedHead& head) { return !head.on; });
}

void switch_at(std::vector<AblatedHead>& list, std::size_t index, bool on) {
  if (list[index].on == on) return;
  const LayerHead place = list[index].place;
  erase_at(list, index);
  list.insert(on ? first_off(list) : list.end(), {place, on});
}

void switch_all(std::vector<AblatedHead>& list, bool on) {
  if (!on) std::rotate(list.begin(), first_off(list), list.end());
  for (AblatedHead& each : list) each.on = on;
}

// visit(list) of the kind that `which` is of.
template <typename Visit>
void visit_kind_of(Request& request, const Intervention& which, const Visit& visit) {
  visit_interventions(request, [&](const auto& kind, auto& list) {
    if (which.option == kind.option.name) visit(list);
  });
}

}  // namespace

std::vector<Intervention> interventions_of(const Request& request, bool with_layers) {
  std::vector<Intervention> all;
  visit_interventions(request, [&](const auto& kind, const auto& list) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      Words words = words_of(kind, list[k], with_layers);
      all.push_back(
          {kind.option.name, k, std::move(words.label), std::move(words.clause), term_text(list[k]), list[k].on});
    }
  });
  return all;
}

std::vector<Intervention> active_interventions(const Request& request, bool with_layers) {
  std::vector<Intervention> all = interventions_of(request, with_layers);
  std::erase_if(all, [](const Intervention& each) { return !each.on; });
  return all;
}

void switch_intervention(Request& request, const Intervention& which, bool on) {
  visit_kind_of(request, which, [&](auto& list) { switch_at(list, which.index, on); });
}

void remove_intervention(Request& request, const Intervention& which) {
  visit_kind_of(request, which, [&](auto& list) { erase_at(list, which.index); });
}

void switch_interventions(Request& request, bool on) {
  visit_interventions(request, [on](const auto&, auto& list) { switch_all(list, on); });
}

void clear_interventions(Request& request) {
  visit_interventions(request, [](const auto&, auto& list) { list.clear(); });
}

Request without_interventions(Request request) {
  clear_interventions(request);
  return request;
}

Request with_only(const Request& request, const Intervention& which) {
  Request only = request;
  visit_interventions(only, [&](const auto& kind, auto& list) {
    if (which.option != kind.option.name) return list.clear();
    list = {list[which.index]};
    list.front().on = true;
  });
  return only;
}

void put_ablated(Request& request, const LayerHead& place, bool off) {
  std::erase_if(request.ablate, [&](const AblatedHead& head) { return head.place == place; });
  if (!off) return;
  request.ablate.insert(first_off(request.ablate), {place, true});
}

void put_edit(Request& request, const NumberEdit& edit) {
  std::erase_if(request.edits, [&](const NumberEdit& other) {
    return other.tensor == edit.tensor && other.index == edit.index && other.layer == edit.layer;
  });
  request.edits.push_back(edit);
}

void put_freeze(Request& request, const LayerHead& place, std::optional<FrozenHead::As> as) {
  std::erase_if(request.freeze, [&](const FrozenHead& head) { return head.place == place; });
  if (as) request.freeze.push_back({place, *as, true});
}

void put_factor(std::vector<HeadFactor>& factors, const LayerHead& place, double factor) {
  const auto known =
      std::find_if(factors.begin(), factors.end(), [&](const HeadFactor& head) { return head.place == place; });
  if (factor == 1.0) {
    if (known != factors.end()) factors.erase(known);
  } else if (known != factors.end()) {
    *known = {place, factor, true};
  } else {
    factors.push_back({place, factor, true});
  }
}

}  // namespace headscope
