#include "core/attention/intervention_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/attention/intervention_text.h"

namespace headscope {
namespace {

using Kind = Intervention::Kind;

std::string head_name(const LayerHead& place, bool with_layers) {
  return with_layers ? fmt::format("layer {}, head {}", place.layer, place.head) : fmt::format("head {}", place.head);
}

std::string range_name(const char* one, std::int64_t begin, std::int64_t end) {
  if (begin == 0 && end == PaintedCells::kToTheEnd) return fmt::format("every {}", one);
  if (end == PaintedCells::kToTheEnd) return fmt::format("{} {} on", one, begin);
  if (end == begin + 1) return fmt::format("{} {}", one, begin);
  return fmt::format("{} {}–{}", one, begin, end - 1);
}

std::string factor_label(const char* stage, const HeadFactor& head, bool with_layers) {
  const std::string what = fmt::format("{} × {}", stage, head.factor);
  return head.place ? head_name(*head.place, with_layers) + ": " + what : what;
}

template <typename List>
void erase_at(List& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

std::vector<Intervention> interventions_of(const Request& request, bool with_layers) {
  std::vector<Intervention> all;
  const auto off_label = [&](const LayerHead& place) { return head_name(place, with_layers) + ": context = 0"; };
  const auto off_term = [](const LayerHead& place) { return fmt::format("{}.{}", place.layer, place.head); };
  for (const LayerHead& place : request.ablate) {
    all.push_back({Kind::head_off, all.size(), off_label(place), off_term(place), true});
  }
  for (const LayerHead& place : request.ablate_off) {
    all.push_back({Kind::head_off, all.size(), off_label(place), "off:" + off_term(place), false});
  }
  for (std::size_t k = 0; k < request.freeze.size(); ++k) {
    const FrozenHead& head = request.freeze[k];
    const char* as = head.as == FrozenHead::As::uniform ? ": weights uniform" : ": weights identity";
    all.push_back({Kind::frozen, k, head_name(head.place, with_layers) + as, freeze_text(head), head.on});
  }
  for (std::size_t k = 0; k < request.scale_query.size(); ++k) {
    const HeadFactor& head = request.scale_query[k];
    all.push_back({Kind::query_factor, k, factor_label("query", head, with_layers), factor_text(head), head.on});
  }
  for (std::size_t k = 0; k < request.scale_key.size(); ++k) {
    const HeadFactor& head = request.scale_key[k];
    all.push_back({Kind::key_factor, k, factor_label("key", head, with_layers), factor_text(head), head.on});
  }
  for (std::size_t k = 0; k < request.edits.size(); ++k) {
    const NumberEdit& edit = request.edits[k];
    const std::string layer = with_layers && edit.layer ? fmt::format("{}/", *edit.layer) : "";
    all.push_back({Kind::edit, k,
                   fmt::format("{}{}[{}] = {}", layer, edit.tensor, fmt::join(edit.index, ","), edit.value),
                   edit_text(edit), edit.on});
  }
  for (std::size_t k = 0; k < request.paint.size(); ++k) {
    const PaintedCells& cells = request.paint[k];
    all.push_back({Kind::painted, k,
                   fmt::format("{} {}, {}", cells.hides ? "hide" : "show",
                               range_name("query", cells.query_begin, cells.query_end),
                               range_name("key", cells.key_begin, cells.key_end)),
                   paint_text(cells), cells.on});
  }
  return all;
}

void switch_intervention(Request& request, const Intervention& which, bool on) {
  switch (which.kind) {
    case Kind::head_off: {
      if (on == which.on) return;
      std::vector<LayerHead>& from = which.on ? request.ablate : request.ablate_off;
      std::vector<LayerHead>& to = which.on ? request.ablate_off : request.ablate;
      const std::size_t at = which.on ? which.index : which.index - request.ablate.size();
      to.push_back(from[at]);
      return erase_at(from, at);
    }
    case Kind::frozen:
      request.freeze[which.index].on = on;
      return;
    case Kind::query_factor:
      request.scale_query[which.index].on = on;
      return;
    case Kind::key_factor:
      request.scale_key[which.index].on = on;
      return;
    case Kind::edit:
      request.edits[which.index].on = on;
      return;
    case Kind::painted:
      request.paint[which.index].on = on;
      return;
  }
}

void remove_intervention(Request& request, const Intervention& which) {
  switch (which.kind) {
    case Kind::head_off:
      return which.on ? erase_at(request.ablate, which.index)
                      : erase_at(request.ablate_off, which.index - request.ablate.size());
    case Kind::frozen:
      return erase_at(request.freeze, which.index);
    case Kind::query_factor:
      return erase_at(request.scale_query, which.index);
    case Kind::key_factor:
      return erase_at(request.scale_key, which.index);
    case Kind::edit:
      return erase_at(request.edits, which.index);
    case Kind::painted:
      return erase_at(request.paint, which.index);
  }
}

void clear_interventions(Request& request) {
  request.ablate.clear();
  request.ablate_off.clear();
  request.freeze.clear();
  request.scale_query.clear();
  request.scale_key.clear();
  request.edits.clear();
  request.paint.clear();
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
