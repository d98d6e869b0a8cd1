#include "core/request/intervention_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/request/intervention_text.h"

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

template <typename List>
void erase_at(List& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

std::vector<Intervention> interventions_of(const Request& request, bool with_layers) {
  std::vector<Intervention> all;
  const auto add_off = [&](const LayerHead& place, bool on) {
    const std::string head = head_name(place, with_layers);
    const std::string term = fmt::format("{}{}.{}", on ? "" : "off:", place.layer, place.head);
    all.push_back({Kind::head_off, all.size(), head + ": context = 0", head + " off", term, on});
  };
  for (const LayerHead& place : request.ablate) add_off(place, true);
  for (const LayerHead& place : request.ablate_off) add_off(place, false);
  for (std::size_t k = 0; k < request.freeze.size(); ++k) {
    const FrozenHead& frozen = request.freeze[k];
    const std::string head = head_name(frozen.place, with_layers);
    const char* as = frozen.as == FrozenHead::As::uniform ? "uniform" : "identity";
    all.push_back({Kind::frozen, k, fmt::format("{}: weights {}", head, as), fmt::format("{} weights in {}", as, head),
                   freeze_text(frozen), frozen.on});
  }
  const auto add_factors = [&](Kind kind, const char* stage, const std::vector<HeadFactor>& factors) {
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const HeadFactor& each = factors[k];
      const std::string what = fmt::format("{} × {}", stage, each.factor);
      const std::string head = each.place ? head_name(*each.place, with_layers) : "";
      all.push_back({kind, k, each.place ? head + ": " + what : what, each.place ? what + " in " + head : what,
                     factor_text(each), each.on});
    }
  };
  add_factors(Kind::query_factor, "query", request.scale_query);
  add_factors(Kind::key_factor, "key", request.scale_key);
  for (std::size_t k = 0; k < request.edits.size(); ++k) {
    const NumberEdit& edit = request.edits[k];
    const std::string layer = with_layers && edit.layer ? fmt::format("{}/", *edit.layer) : "";
    const std::string what = fmt::format("{}{}[{}] = {}", layer, edit.tensor, fmt::join(edit.index, ","), edit.value);
    all.push_back({Kind::edit, k, what, what, edit_text(edit), edit.on});
  }
  for (std::size_t k = 0; k < request.paint.size(); ++k) {
    const PaintedCells& cells = request.paint[k];
    const std::string where = range_name("query", cells.query_begin, cells.query_end) + ", " +
                              range_name("key", cells.key_begin, cells.key_end);
    all.push_back({Kind::painted, k, (cells.hides ? "hide " : "show ") + where,
                   where + (cells.hides ? " hidden" : " shown"), paint_text(cells), cells.on});
  }
  return all;
}

std::vector<Intervention> active_interventions(const Request& request, bool with_layers) {
  std::vector<Intervention> all = interventions_of(request, with_layers);
  std::erase_if(all, [](const Intervention& each) { return !each.on; });
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

void switch_interventions(Request& request, bool on) {
  std::vector<LayerHead>& from = on ? request.ablate_off : request.ablate;
  std::vector<LayerHead>& to = on ? request.ablate : request.ablate_off;
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
  const auto switch_all = [on](auto& list) {
    for (auto& each : list) each.on = on;
  };
  switch_all(request.freeze);
  switch_all(request.scale_query);
  switch_all(request.scale_key);
  switch_all(request.edits);
  switch_all(request.paint);
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

Request without_interventions(Request request) {
  clear_interventions(request);
  return request;
}

Request with_only(const Request& request, const Intervention& which) {
  Request only = without_interventions(request);
  const auto keep = [&](const auto& from, auto& to) {
    to = {from[which.index]};
    to.front().on = true;
  };
  switch (which.kind) {
    case Kind::head_off: {
      const std::size_t on = request.ablate.size();
      only.ablate = {which.index < on ? request.ablate[which.index] : request.ablate_off[which.index - on]};
      break;
    }
    case Kind::frozen:
      keep(request.freeze, only.freeze);
      break;
    case Kind::query_factor:
      keep(request.scale_query, only.scale_query);
      break;
    case Kind::key_factor:
      keep(request.scale_key, only.scale_key);
      break;
    case Kind::edit:
      keep(request.edits, only.edits);
      break;
    case Kind::painted:
      keep(request.paint, only.paint);
      break;
  }
  return only;
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
