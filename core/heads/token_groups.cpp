#include "core/heads/token_groups.h"

#include <algorithm>
#include <span>

#include "core/tensor/row_strips.h"

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

TokenGroups token_groups(const TokenView& view, const Trace& trace) {
  TokenGroups result;
  result.renormalize = view.renormalize && (view.hide_special || view.hide_first);
  const std::vector<std::int64_t>& words = trace.inputs->words;
  const bool same = trace.inputs->query_len == trace.inputs->key_len && !is_cross_attention(trace.request);
  group(trace.query_len(), trace.query_labels(), words, view.merge_words, result.rows, result.row_labels);
  Groups columns;
  std::vector<std::string> names;
  const std::vector<std::int64_t> none;
  group(trace.key_len(), trace.key_labels(), same ? words : none, view.merge_words, columns, names);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto first = static_cast<std::size_t>(columns[c].front());
    const bool special = same && first < words.size() && words[first] < 0;
    if ((view.hide_special && special) || (view.hide_first && first == 0)) continue;
    result.columns.push_back(columns[c]);
    result.column_labels.push_back(names[c]);
  }
  return result;
}

Tensor by_groups(const Tensor& matrix, const TokenGroups& groups) {
  const std::size_t width = groups.columns.size();
  if (width == 0 || groups.rows.empty()) return {};
  std::vector<double> sums(groups.rows.size() * width, 0.0);
  std::size_t r = 0, within = 0;  // rows come in order, and so do the members of groups
  for_each_row(matrix, [&](const Index&, std::int64_t, std::span<const float> row) {
    double* out = sums.data() + r * width;
    for (std::size_t c = 0; c < width; ++c) {
      for (const std::int64_t j : groups.columns[c]) out[c] += static_cast<double>(row[static_cast<std::size_t>(j)]);
    }
    if (++within == groups.rows[r].size()) {
      ++r;
      within = 0;
    }
  });
  std::vector<float> values(sums.size());
  for (r = 0; r < groups.rows.size(); ++r) {
    double* row = sums.data() + r * width;
    double divisor = static_cast<double>(groups.rows[r].size());
    if (groups.renormalize) {
      double left = 0;
      for (std::size_t c = 0; c < width; ++c) left += row[c];
      if (left != 0) divisor = left;
    }
    for (std::size_t c = 0; c < width; ++c) values[r * width + c] = static_cast<float>(row[c] / divisor);
  }
  return Tensor::of({static_cast<std::int64_t>(groups.rows.size()), static_cast<std::int64_t>(width)},
                    {Axis::query, Axis::key}, std::move(values));
}

}  // namespace headscope
