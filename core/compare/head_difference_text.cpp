// The sentences of head_differences.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/head_differences.h"

namespace headscope {
namespace {

std::string share_text(const char* name, const std::optional<double>& share) {
  return share ? fmt::format("{} {:.2g}", name, *share) : fmt::format("{} unknown", name);
}

const HeadShares& head_at(const ModelDifference& found, const HeadPlace& place) {
  return found.layers[static_cast<std::size_t>(place.layer)].heads[static_cast<std::size_t>(place.head)];
}

// Whether something is known of a head's weights, and of what it does with the text.
bool knows_maps(const ModelDifference& found) {
  return found.layers.front().heads.front().qk.has_value();
}

bool knows_text(const ModelDifference& found) {
  const HeadShares& head = found.layers.front().heads.front();
  return head.weights.has_value() || head.context.has_value();
}

std::string maps_words(const ModelDifference& found) {
  if (!knows_maps(found)) return "heads are no linear map of the stream, so that nothing is said of their weights";
  if (!found.first_by_maps) return "by their weights (qk and ov) no head differs beyond rounding";
  const HeadShares& head = head_at(found, *found.first_by_maps);
  return fmt::format("by its weights the first head that differs beyond rounding is head {} of layer {} ({}, {})",
                     found.first_by_maps->head, found.first_by_maps->layer, share_text("qk", head.qk),
                     share_text("ov", head.ov));
}

std::string text_words(const ModelDifference& found) {
  if (!knows_text(found)) return "on this text nothing can be compared";
  if (!found.first_on_text) return "on this text none does";
  const HeadShares& head = head_at(found, *found.first_on_text);
  return fmt::format("on this text the first that differs is head {} of layer {} ({}, {})", found.first_on_text->head,
                     found.first_on_text->layer, share_text("weights", head.weights),
                     share_text("context", head.context));
}

}  // namespace

std::string divergence_sentence(const ModelDifference& found) {
  if (found.layers.empty() || found.layers.front().heads.empty()) return "";
  return maps_words(found) + "; " + text_words(found);
}

std::string moved_sentence(const ModelDifference& found, std::int64_t layer) {
  const LayerDifference& of = found.layers.at(static_cast<std::size_t>(layer));
  if (of.moved.empty()) return "";
  std::vector<std::int64_t> from, to;
  double apart = 0, in_place = 0;
  for (const LayerDifference::Moved& head : of.moved) {
    from.push_back(head.from);
    to.push_back(head.to);
    const HeadShares& place = of.heads[static_cast<std::size_t>(head.to)];
    apart = std::max({apart, *head.shares.qk, *head.shares.ov});
    in_place = std::max({in_place, *place.qk, *place.ov});
  }
  return fmt::format(
      "heads have moved in layer {}: heads {} of A are heads {} of B, at most {:.2g} of their size apart by qk and ov, "
      "where in place they are up to {:.2g} apart",
      layer, fmt::join(from, ", "), fmt::join(to, ", "), apart, in_place);
}

}  // namespace headscope
