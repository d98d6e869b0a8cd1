// The numbers and words of the tour's texts, from the trace on screen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/ui/guide/tour.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/operation_text.h"
#include "core/base/grouped_digits.h"
#include "core/base/minus_sign.h"
#include "core/base/utf8.h"
#include "core/explain/explain.h"
#include "core/model/head_rule.h"
#include "core/request/request_text.h"

namespace headscope::ui {
namespace {

// A word may be a whole page: its beginning.
std::string short_word(const std::string& word) {
  constexpr int kMost = 20;
  std::size_t end = 0;
  for (int i = 0; i < kMost && end < word.size(); ++i) end = next_grapheme(word, end);
  return end < word.size() ? word.substr(0, end) + "…" : word;
}

std::string token(const std::vector<std::string>& tokens, std::int64_t at) {
  return at >= 0 && at < std::ssize(tokens) ? short_word(tokens[static_cast<std::size_t>(at)]) : "";
}

// The first of many, so that a long text keeps its box small.
std::string first_tokens(const std::vector<std::string>& tokens) {
  constexpr std::size_t kMost = 8;
  std::string words;
  for (std::size_t i = 0; i < std::min(kMost, tokens.size()); ++i)
    words += (i == 0 ? "" : ", ") + short_word(tokens[i]);
  return tokens.size() > kMost ? words + " …" : words;
}

// One number of a stage with batch, head, row and column.
std::string number_at(const Trace& trace, StageId stage, const Selection& at, Cell cell) {
  const Stage* found = trace.find(stage);
  if (found == nullptr) return "";
  return number_label(static_cast<double>(found->tensor.at({at.batch, at.head, cell.row, cell.column})), 4);
}

std::vector<float> weights_of_row(const Trace& trace, const Selection& at, std::int64_t row) {
  const Tensor& weights = trace.tensor(StageId::weights);
  std::vector<float> values(static_cast<std::size_t>(trace.key_len()));
  weights.read({{at.batch, at.batch + 1}, {at.head, at.head + 1}, {row, row + 1}, {0, trace.key_len()}}, values);
  return values;
}

std::int64_t strongest_of(const std::vector<float>& values) {
  const auto larger = [](float a, float b) { return std::isnan(a) ? !std::isnan(b) : a < b; };
  return std::max_element(values.begin(), values.end(), larger) - values.begin();
}

// The first pair of a query's or key's features: before and after it was turned, as (a cos θ − b sin θ, a sin θ + b cos
// θ).
struct TurnedPair {
  ExplainTurn turn;
  double before[2] = {0, 0}, after[2] = {0, 0};
};
std::optional<TurnedPair> turned_pair(const Trace& trace, StageId stage, const Index& index) {
  const std::optional<ExplainTurn> turn = explain(trace, stage, index).turn;
  if (!turn || !turn->first) return std::nullopt;
  const double a = turn->own.value, b = turn->other.value, cosine = turn->own.factor, sine = -turn->other.factor;
  return TurnedPair{*turn, {a, b}, {a * cosine - b * sine, a * sine + b * cosine}};
}

std::string pair_text(const double (&pair)[2]) {
  return number_label(pair[0], 4) + ", " + number_label(pair[1], 4);
}

// The numbers of rotary positions of the cell's query and key: "rope" and "rope_..."; none in a run without them.
void add_rope(std::map<std::string, std::string>& values, const Trace& trace, const Selection& at, Cell cell) {
  const HeadRule* rule = trace.inputs->head_rule.get();
  if (rule == nullptr || rule->rotary == nullptr) return;
  const Stage *query = trace.find(StageId::query), *key = trace.find(StageId::key);
  if (query == nullptr || key == nullptr || cell.row >= query->tensor.dim(2) || cell.column >= key->tensor.dim(2))
    return;
  const RotaryRule& turns = rule->rotary->rule();
  if (turns.inverse_frequencies.empty()) return;
  const std::int64_t group = at.head / (query->tensor.dim(1) / key->tensor.dim(1));
  const auto q = turned_pair(trace, StageId::query, {at.batch, at.head, cell.row, turns.begin});
  const auto k = turned_pair(trace, StageId::key, {at.batch, group, cell.column, turns.begin});
  if (!q || !k) return;
  const double difference = q->turn.angle - k->turn.angle, cosine = std::cos(difference), sine = std::sin(difference);
  const double *a = q->before, *b = k->before, stretch = q->turn.stretch * k->turn.stretch;
  const auto say = [&](const char* name, double value) {
    values[std::string("rope_") + name] = number_label(value, 4);
  };
  values["rope"] = "";
  values["rope_query"] = grouped_digits(q->turn.position);
  values["rope_key"] = grouped_digits(k->turn.position);
  values["rope_pairs"] = grouped_digits(std::ssize(turns.inverse_frequencies));
  values["rope_fast"] = with_minus_signs(fmt::format("{:.4g}", turns.inverse_frequencies.front()));
  values["rope_slow"] = with_minus_signs(fmt::format("{:.4g}", turns.inverse_frequencies.back()));
  values["rope_query_before"] = pair_text(q->before);
  values["rope_query_after"] = pair_text(q->after);
  values["rope_key_before"] = pair_text(k->before);
  values["rope_key_after"] = pair_text(k->after);
  say("query_angle", q->turn.angle);
  say("key_angle", k->turn.angle);
  say("difference", difference);
  say("product", q->after[0] * k->after[0] + q->after[1] * k->after[1]);
  say("relative", stretch * ((a[0] * cosine - a[1] * sine) * b[0] + (a[0] * sine + a[1] * cosine) * b[1]));
}

std::string first_values(const Trace& trace, const Selection& at, std::int64_t row) {
  const Stage* input = trace.find(StageId::input);
  if (input == nullptr) return "";
  std::string values;
  for (std::int64_t d = 0; d < std::min<std::int64_t>(3, input->tensor.dim(2)); ++d) {
    values += (d == 0 ? "" : ", ") + number_label(static_cast<double>(input->tensor.at({at.batch, row, d})), 2);
  }
  return values;
}

}  // namespace

std::map<std::string, std::string> tour_values(const Trace& trace, const ViewState& view) {
  const Selection at = selection_of(view, trace);
  const std::vector<std::string> queries = trace.query_labels(), keys = trace.key_labels();
  Cell cell = view.cell.value_or(Cell{trace.query_len() - 1, 0});
  cell.row = std::clamp<std::int64_t>(cell.row, 0, std::max<std::int64_t>(0, trace.query_len() - 1));
  cell.column = std::clamp<std::int64_t>(cell.column, 0, std::max<std::int64_t>(0, trace.key_len() - 1));
  std::map<std::string, std::string> values;
  values["query_len"] = grouped_digits(trace.query_len());
  values["tokens"] = first_tokens(trace.inputs->tokens);
  values["num_heads"] = grouped_digits(trace.num_heads());
  values["head_dim"] = grouped_digits(trace.inputs->head_dim);
  values["input_dim"] = grouped_digits(trace.inputs->input_dim);
  values["head"] = std::to_string(at.head);
  values["query_token"] = token(queries, cell.row);
  values["key_token"] = token(keys, cell.column);
  for (const Stage& stage : trace.stages) {
    values[std::string(stage_name(stage.id)) + "_shape"] = to_string(stage.tensor.shape());
  }
  values["layer"] = std::to_string(trace.model != nullptr ? trace.model->layer : 0);
  add_rope(values, trace, at, cell);
  values["input_values"] = first_values(trace, at, cell.row);
  values["raw_score"] = number_at(trace, StageId::raw_scores, at, cell);
  values["score"] = number_at(trace, StageId::scores, at, cell);
  values["weight"] = number_at(trace, StageId::weights, at, cell);
  values["scale"] = with_minus_signs(fmt::format("{:.4g}", trace.scale));
  values["mask"] = mask_text(mask_terms_of(trace.request, *trace.inputs));
  const HiddenCells& hidden = trace.mask->hidden;
  values["hidden"] = grouped_digits(
      hidden.any() ? hidden.hidden_count(std::min(at.batch, hidden.batch() - 1), std::min(at.head, hidden.heads() - 1))
                   : 0);
  values["cells"] = grouped_digits(trace.query_len() * trace.key_len());
  values["fill"] = with_minus_signs(number_text(trace.request.mask_fill));
  if (trace.find(StageId::weights) != nullptr) {
    const std::vector<float> row = weights_of_row(trace, at, cell.row);
    double sum = 0;
    for (const float each : row) sum += static_cast<double>(each);
    values["row_sum"] = number_label(sum, 4);
    const std::int64_t best = strongest_of(row);
    values["best_key"] = token(keys, best);
    values["best_weight"] = number_at(trace, StageId::weights, at, Cell{cell.row, best});
  }
  return values;
}

}  // namespace headscope::ui
