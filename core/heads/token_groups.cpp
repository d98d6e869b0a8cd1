#include "core/heads/token_groups.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

// Positions [0, count) as groups, and the text of each.
void group(std::int64_t count, const std::vector<std::string>& labels, const std::vector<std::int64_t>& words,
           bool merge, Groups& groups, std::vector<std::string>& names) {
  for (std::int64_t j = 0; j < count; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool joins =
        merge && j > 0 && at < words.size() && words[at] >= 0 && words[at] == words[at - 1] && !groups.empty();
    if (!joins) {
      groups.push_back({j});
      names.push_back(labels.at(at));
      continue;
    }
    groups.back().push_back(j);
    // WordPiece says by ## that a piece goes on.
    const std::string& piece = labels.at(at);
    names.back() += piece.starts_with("##") ? piece.substr(2) : piece;
  }
}

}  // namespace

TokenGroups token_groups(const Showing& view, const Trace& trace, HiddenColumns hidden) {
  TokenGroups result;
  const bool merge = view.groups == GroupBy::words;
  const std::vector<std::int64_t>& words = trace.inputs->words;
  const bool same = trace.inputs->query_len == trace.inputs->key_len && !is_cross_attention(trace.request);
  group(trace.query_len(), trace.query_labels(), words, merge, result.rows, result.row_labels);
  Groups columns;
  std::vector<std::string> names;
  const std::vector<std::int64_t> none;
  group(trace.key_len(), trace.key_labels(), same ? words : none, merge, columns, names);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto first = static_cast<std::size_t>(columns[c].front());
    const bool special = same && first < words.size() && words[first] < 0;
    const bool hides =
        (view.hide_tokens == HideTokens::special && special) || (view.hide_tokens == HideTokens::first && first == 0);
    if (hides && hidden == HiddenColumns::removed) continue;
    result.columns.push_back(hides ? std::vector<std::int64_t>{} : std::move(columns[c]));
    result.column_labels.push_back(std::move(names[c]));
  }
  return result;
}

std::string shown_sentence(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  // Shown keys may be fewer than the queries, never more: more are not the queries' own tokens.
  const bool own = inputs.key_len <= inputs.query_len && !is_cross_attention(trace.request);
  const bool special =
      own && std::any_of(inputs.words.begin(), inputs.words.end(), [](std::int64_t word) { return word < 0; });
  return showing_sentence(showing_of(trace.request), special);
}

std::optional<std::int64_t> group_of(const std::vector<std::vector<std::int64_t>>& groups, std::int64_t position) {
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (std::binary_search(groups[k].begin(), groups[k].end(), position)) return static_cast<std::int64_t>(k);
  }
  return std::nullopt;
}

}  // namespace headscope
