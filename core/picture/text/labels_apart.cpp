#include "core/picture/text/labels_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr std::string_view kDots = "…";
constexpr std::size_t kMostGraphemes = 64;  // of the beginning, and of the end: a long token is never measured whole

// Bytes that the first graphemes have, up to kMostGraphemes of them: [0] is 0.
std::vector<std::size_t> beginnings_of(std::string_view text) {
  std::vector<std::size_t> sizes = {0};
  while (sizes.size() <= kMostGraphemes && sizes.back() < text.size()) {
    sizes.push_back(next_grapheme(text, sizes.back()));
  }
  return sizes;
}

// Where the last graphemes begin: [0] is the end of the text.
std::vector<std::size_t> ends_of(std::string_view text) {
  std::vector<std::size_t> begins = {text.size()};
  while (begins.size() <= kMostGraphemes && begins.back() > 0) {
    begins.push_back(previous_grapheme(text, begins.back()));
  }
  return begins;
}

// Which labels two names that differ have in common.
std::unordered_set<std::string> shared_labels(const std::vector<AxisName>& names,
                                              const std::vector<std::string>& labels) {
  std::unordered_map<std::string, const std::string*> name_of;
  std::unordered_set<std::string> shared;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto [found, added] = name_of.emplace(labels[k], &names[k].name);
    if (!added && *found->second != names[k].name) shared.insert(labels[k]);
  }
  return shared;
}

}  // namespace

std::string cut_in_the_middle(std::string_view text, const LabelFit& fit) {
  const std::vector<std::size_t> beginnings = beginnings_of(text), ends = ends_of(text);
  const std::size_t most = std::min(beginnings.size(), ends.size()) - 1;
  std::string best;
  // One grapheme more in turn: the beginning first, since it says what the word is.
  for (std::size_t kept = 0; kept < 2 * most; ++kept) {
    const std::size_t head = beginnings[(kept + 1) / 2], tail = ends[kept / 2];
    if (head >= tail) break;
    std::string label = std::string(text.substr(0, head)) + std::string(kDots) + std::string(text.substr(tail));
    if (fit.width_of(label) > fit.width) break;
    best = std::move(label);
  }
  return best;
}

std::vector<std::string> labels_apart(const std::vector<AxisName>& names, const LabelFit& fit) {
  std::vector<std::string> labels;
  labels.reserve(names.size());
  bool any_cut = false;
  for (const AxisName& each : names) {
    labels.push_back(fit.cut_at_end(each.name));
    any_cut = any_cut || labels.back() != each.name;
  }
  if (!any_cut) return labels;
  const auto relabel = [&](const auto& label_of) {
    const std::unordered_set<std::string> shared = shared_labels(names, labels);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (labels[k] != names[k].name && shared.count(labels[k]) > 0) labels[k] = label_of(names[k]);
    }
  };
  relabel([&](const AxisName& each) { return cut_in_the_middle(each.name, fit); });
  relabel([&](const AxisName& each) { return fit.cut_at_end(fmt::format("{} {}", each.index, each.name)); });
  return labels;
}

}  // namespace headscope
