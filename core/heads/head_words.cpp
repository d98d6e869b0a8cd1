#include "core/heads/head_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_map>

#include "core/attention/hidden_weight.h"
#include "core/heads/head_row_values.h"
#include "core/heads/pattern.h"
#include "core/heads/sink_shares.h"
#include "core/heads/token_places.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr double kNamedShare = 0.9;      // of the row's sum: then enough is named
constexpr double kUnnamedShare = 0.055;  // of the sum, what others may hold without being said: 0.05 when rounded
constexpr double kEvenShare = 0.97;      // of the largest entropy, as the pattern "uniform"
constexpr std::int64_t kRowsBetweenChecks = 256;

// "0.88", "0.07", "0.003".
std::string weight_text(double weight) {
  return weight == 0 || weight >= 0.01 ? fmt::format("{:.2f}", weight) : fmt::format("{:.1g}", weight);
}

// Tokens as they are named: one that stands twice with its position, "the (4)".
std::vector<std::string> names_of(std::vector<std::string> tokens) {
  std::unordered_map<std::string, std::int64_t> count;
  for (const std::string& token : tokens) ++count[token];
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (count.at(tokens[k]) > 1) tokens[k] += fmt::format(" ({})", k);
  }
  return tokens;
}

struct Largest {
  std::array<std::size_t, kMostNamed> keys{};
  std::size_t count = 0;
  double sum = 0;  // of all weights
};

Largest largest_of(std::span<const float> weights) {
  Largest found;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    found.sum += static_cast<double>(weights[j]);
    std::size_t at = found.count;
    while (at > 0 && weights[j] > weights[found.keys[at - 1]]) --at;
    if (at == kMostNamed) continue;
    if (found.count < kMostNamed) ++found.count;
    for (std::size_t k = found.count - 1; k > at; --k) found.keys[k] = found.keys[k - 1];
    found.keys[at] = j;
  }
  return found;
}

// "animal 0.88, street 0.07".
std::string named_keys(std::span<const float> weights, std::int64_t visible_keys,
                       const std::vector<std::string>& names) {
  const Largest largest = largest_of(weights);
  std::string text;
  double named = 0;
  std::int64_t count = 0;
  for (std::size_t k = 0; k < largest.count && named < kNamedShare * largest.sum; ++k) {
    const std::size_t key = largest.keys[k];
    if (weights[key] == 0) break;
    text += fmt::format("{}{} {}", count == 0 ? "" : ", ", names[key], weight_text(weights[key]));
    named += static_cast<double>(weights[key]);
    ++count;
  }
  if (count == 0) return "nothing";
  const std::int64_t others = visible_keys - count;
  const double rest = largest.sum - named;
  if (others > 0 && rest > kUnnamedShare * largest.sum) {
    text += fmt::format(", {} {} {}", others, others == 1 ? "other" : "others", weight_text(rest));
  }
  return text;
}

// A row of weights, and what it is measured as.
struct SaidRow {
  std::span<const float> weights;
  std::int64_t visible_keys = 0;
  std::optional<double> sink_share;
  double hidden_share = 0;  // what hidden keys hold of its weight
  HeadRowValues values;
};

std::string row_words(const SaidRow& row, const std::vector<std::string>& names) {
  if (row.visible_keys == 0) return "sees no key";
  if (row.values.has_nan) return "has weights that are no numbers";
  std::string ending = row.sink_share ? fmt::format("; its sink takes {}", weight_text(*row.sink_share)) : "";
  ending += fmt::format("; entropy {:.2f} bit", row.values[HeadMetric::entropy]);
  if (row.hidden_share > 0) ending += fmt::format("; hidden keys hold {} of it", weight_text(row.hidden_share));
  const HeadMetric even = HeadMetric::uniform;
  if (row.values.has(even) && row.values[even] >= kEvenShare) {
    const double sum = largest_of(row.weights).sum;
    return fmt::format("attends evenly to {} keys, {} each{}", row.visible_keys,
                       weight_text(sum / static_cast<double>(row.visible_keys)), ending);
  }
  const std::string named = "attends to " + named_keys(row.weights, row.visible_keys, names);
  return named + (row.values.has_choice ? ending : ", the only key it sees");
}

std::string head_sentence(const Trace& trace, std::int64_t batch, std::int64_t head, const CancelToken& cancel) {
  const HeadSummary summary = summarize_head(trace, batch, head, cancel);
  std::string text = fmt::format("head {}:", head);
  for (const LabelPiece& piece : summary_pieces(summary, trace)) {
    text += ' ' + (piece.role == LabelPiece::Role::score ? weight_text(summary.score) : piece.text);
  }
  if (!std::isnan(summary.entropy_bits)) text += fmt::format("; mean entropy {:.2f} bit", summary.entropy_bits);
  return text;
}

}  // namespace

HeadWords head_words(const Trace& trace, std::int64_t batch, std::int64_t head, const CancelToken& cancel) {
  const std::vector<std::string> queries = names_of(trace.inputs->tokens);
  const std::vector<std::string> keys = names_of(trace.key_labels());
  HeadWords words;
  words.head = head_sentence(trace, batch, head, cancel);
  words.rows.reserve(queries.size());
  const TokenPlaces places(trace);
  SinkShares sink_shares(trace, batch, head);
  for_each_row(matrix_at(trace.tensor(StageId::weights), batch, head),
               [&](const Index&, std::int64_t i, std::span<const float> weights) {
                 if (i % kRowsBetweenChecks == 0) cancel.check();
                 SaidRow row{.weights = weights,
                             .visible_keys = weighed_keys(trace, batch, head, i),
                             .sink_share = sink_shares.of(i),
                             .hidden_share = hidden_share(trace, batch, head, i, weights),
                             .values = {}};
                 row.values = head_row_values(i, weights, row.visible_keys, places, row.sink_share);
                 words.rows.push_back(queries[static_cast<std::size_t>(i)] + ' ' + row_words(row, keys));
               });
  return words;
}

}  // namespace headscope
