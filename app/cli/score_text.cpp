#include "app/cli/score_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "app/cli/attribution_text.h"
#include "app/cli/output.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPairs = 12, kWriters = 8;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : short_number(value);
}

// Places of numbers, the largest first; what is no number before all.
std::vector<std::size_t> by_size(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double left = std::abs(values[a]), right = std::abs(values[b]);
    return std::isnan(left) != std::isnan(right) ? std::isnan(left) : left > right;
  });
  return order;
}

std::string rest_of(const std::vector<double>& values, const std::vector<std::size_t>& order, std::size_t shown) {
  double rest = 0;
  for (std::size_t k = shown; k < order.size(); ++k) rest += values[order[k]];
  return number(rest);
}

std::string pairs_table(const ScoreWriters& found) {
  std::vector<std::vector<std::string>> rows = {{"wrote at the query", "wrote at the key", "term"}};
  const std::vector<std::size_t> order = by_size(found.terms);
  const std::size_t shown = std::min(kPairs, order.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t q = order[k] / found.keys.size(), key = order[k] % found.keys.size();
    rows.push_back(
        {score_writer_name(found.queries[q]), score_writer_name(found.keys[key]), number(found.terms[order[k]])});
  }
  if (shown < order.size()) {
    rows.push_back({fmt::format("{} more", order.size() - shown), "", rest_of(found.terms, order, shown)});
  }
  return table_text({{}, {}, {true}}, rows);
}

// Each writer of one side with all of the other.
std::string writers_table(const ScoreWriters& found, bool keys) {
  const std::vector<ScoreWriter>& writers = keys ? found.keys : found.queries;
  std::vector<double> sums(writers.size());
  for (std::size_t q = 0; q < found.queries.size(); ++q) {
    for (std::size_t k = 0; k < found.keys.size(); ++k) sums[keys ? k : q] += found.term(q, k);
  }
  std::vector<std::vector<std::string>> rows = {
      {keys ? "wrote at the key, for all of the query" : "wrote at the query, for all of the key", "sum"}};
  const std::vector<std::size_t> order = by_size(sums);
  const std::size_t shown = std::min(kWriters, order.size());
  for (std::size_t k = 0; k < shown; ++k)
    rows.push_back({score_writer_name(writers[order[k]]), number(sums[order[k]])});
  if (shown < order.size()) {
    rows.push_back({fmt::format("{} more", order.size() - shown), rest_of(sums, order, shown)});
  }
  return table_text({{}, {true}}, rows);
}

Json writers_json(const std::vector<ScoreWriter>& writers) {
  const auto or_null = [](const std::optional<std::int64_t>& each) { return each ? Json(*each) : Json(); };
  Json list = Json::array();
  for (const ScoreWriter& writer : writers) {
    list.push_back({{"name", writer.name}, {"layer", or_null(writer.layer)}, {"head", or_null(writer.head)}});
  }
  return list;
}

}  // namespace

std::string score_text(const Trace& trace, const ScoreQuestion& question, const ScoreWriters& found) {
  const auto token = [](const std::vector<std::string>& labels, std::int64_t at) {
    return fmt::format("{} '{}'", at, printable(labels[static_cast<std::size_t>(at)]));
  };
  const std::vector<std::vector<std::string>> ends = {{"sum of all pairs", fmt::format("{:.9g}", found.sum)},
                                                      {"the model's own score", fmt::format("{:.9g}", found.total)},
                                                      {"difference", fmt::format("{:.3g}", found.sum - found.total)}};
  return fmt::format("score of layer {}, head {}: query {}, key {}\n\n{}\n{}\n{}\n{}\n{}", trace.inputs->layer,
                     question.head, token(trace.query_labels(), question.query),
                     token(trace.key_labels(), question.key), pairs_table(found), writers_table(found, false),
                     writers_table(found, true), table_text({{}, {true}}, ends),
                     "Norms are held at the mean and scale that they have at the two positions. Masks, position biases "
                     "and caps come after it.\n");
}

std::string score_json(const Trace& trace, const ScoreQuestion& question, const ScoreWriters& found) {
  Json terms = Json::array();
  for (std::size_t q = 0; q < found.queries.size(); ++q) {
    Json row = Json::array();
    for (std::size_t k = 0; k < found.keys.size(); ++k) row.push_back(json_number(found.term(q, k)));
    terms.push_back(std::move(row));
  }
  const Json json = {{"total", json_number(found.total)},
                     {"sum", json_number(found.sum)},
                     {"difference", json_number(found.sum - found.total)},
                     {"scale", json_number(found.scale)},
                     {"layer", trace.inputs->layer},
                     {"head", question.head},
                     {"query", question.query},
                     {"key", question.key},
                     {"by", kAttributionByNames[static_cast<std::size_t>(question.by)]},
                     {"queries", writers_json(found.queries)},
                     {"keys", writers_json(found.keys)},
                     {"terms", std::move(terms)}};
  return json_dump(json) + "\n";
}

}  // namespace headscope::cli
