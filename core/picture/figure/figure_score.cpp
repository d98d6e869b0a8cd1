// Who wrote what a query and a key of a head meet in, as a map of writers by writers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/base/minus_sign.h"
#include "core/explain/score_writers.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {
namespace {

ScoreQuestion question_of(const Sheet& sheet) {
  const ViewSpec& view = sheet.view;
  const Trace& trace = sheet.trace;
  if (trace.model == nullptr || trace.model->checkpoint == nullptr) {
    throw UsageError("view",
                     "found score, but this result is " +
                         std::string(trace.model == nullptr ? "of one layer, which no layer wrote to"
                                                            : "a capture, which has no weights behind it"),
                     "a whole model");
  }
  if (trace.model->final_hidden.empty()) {
    throw UsageError("view", "score needs all layers, and not all of them were computed");
  }
  if (view.at.size() != 2) {
    throw UsageError("at", fmt::format("found {} numbers with --view score", view.at.size()), "two, I,J");
  }
  if (view.question.by == AttributionBy::sources) {
    throw UsageError("by", "found sources with --view score", "components or heads");
  }
  return {view.head, view.at[0], view.at[1], view.question.by.value_or(AttributionBy::heads)};
}

std::vector<Span> legend_of(const Sheet& sheet, const MapSize& size, const ScoreWriters& found) {
  const Rgba color = sheet.colors.text2;
  std::vector<Span> spans = legend_of_axes(sheet, "part of the score", ", the range centred on zero", false);
  spans.push_back(
      {"Rows: who wrote at the query's position; columns: who wrote at the key's; heads as layer.head.", color});
  const auto number = [](double value) { return with_minus_signs(fmt::format("{:.4g}", value)); };
  spans.push_back({fmt::format("Sum {}; the model's own score {}. Norms are held at the scale that they have.",
                               number(found.sum), number(found.total)),
                   color});
  if (!found.terms.empty()) {
    const auto largest = std::max_element(found.terms.begin(), found.terms.end(),
                                          [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const auto at = static_cast<std::size_t>(largest - found.terms.begin());
    spans.push_back({fmt::format("Largest: {} meets {}, {}.", score_writer_name(found.queries[at / found.keys.size()]),
                                 score_writer_name(found.keys[at % found.keys.size()]), number(*largest)),
                     color});
  }
  const std::string pooled = pooled_note(size, static_cast<std::int64_t>(found.queries.size()),
                                         static_cast<std::int64_t>(found.keys.size()), "part");
  if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, color});
  return spans;
}

}  // namespace

void plan_score(Sheet& sheet) {
  const ScoreQuestion question = question_of(sheet);
  const ScoreWriters found = score_writers(*sheet.trace.model, question, sheet.cancel);
  const auto rows = static_cast<std::int64_t>(found.queries.size()),
             columns = static_cast<std::int64_t>(found.keys.size());
  std::vector<float> values(found.terms.begin(), found.terms.end());
  double largest = 0;
  for (const double term : found.terms) {
    if (std::isfinite(term)) largest = std::max(largest, std::fabs(term));
  }
  OneMap map;
  map.title.head = question.head;
  map.title.name = fmt::format("Head {}.{}", sheet.trace.model->layer, question.head);
  map.title.stage = "score";
  const auto token = [](const std::vector<std::string>& labels, std::int64_t at) {
    const auto place = static_cast<std::size_t>(at);
    return place < labels.size() ? labels[place] : std::to_string(at);
  };
  map.title.fact =
      fmt::format("query {} {}, key {} {}", question.query, token(sheet.trace.query_labels(), question.query),
                  question.key, token(sheet.trace.key_labels(), question.key));
  map.rows = rows;
  map.columns = columns;
  map.names = {.score_like = false, .row_word = "at query", .column_word = "at key"};
  for (const ScoreWriter& writer : found.queries) map.names.rows.push_back(score_writer_label(writer));
  for (const ScoreWriter& writer : found.keys) map.names.columns.push_back(score_writer_label(writer));
  map.spec = spec_of_signed(sheet, Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values)), largest);
  map.legend = [&](const MapSize& size) { return legend_of(sheet, size, found); };
  plan_one_map(sheet, map);
}

}  // namespace headscope
