#include "app/cli/sweep_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "app/cli/compute.h"
#include "app/cli/csv_path.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "core/attention/trace.h"
#include "core/base/error.h"
#include "core/export/answer_tables.h"
#include "core/io/json_text.h"
#include "core/request/model_kind.h"
#include "core/sweep/sweep_map.h"
#include "core/sweep/text_pairs.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

// These options are refused beside --pairs, because the file says what they would say.
constexpr const char* kSaidByPairs[] = {"phrase",   "phrase-file", "token-ids", "second-phrase", "key-phrase", "image",
                                        "features", "input",       "against",   "ablation",      "mean-over"};

Json statistics_json(const PairStatistics& of) {
  return {{"mean", json_number(of.mean)},
          {"standard_error", of.standard_error ? json_number(*of.standard_error) : Json()},
          {"same_sign", json_number(of.same_sign)}};
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

std::string error_text(const PairStatistics& of) {
  return of.standard_error ? short_number(*of.standard_error) : "";
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// "1.2345 ± 0.1, the same sign in 90 % of the pairs"
std::string statistics_text(const PairStatistics& of) {
  const std::string error = of.standard_error ? fmt::format(" ± {}", short_number(*of.standard_error)) : "";
  return fmt::format("{}{}, {} of the pairs have its sign", short_number(of.mean), error, percent(of.same_sign));
}

// Their places in the list: all in order, or of very many those whose mean change is largest.
std::vector<std::size_t> shown_cells(const PairSweep& found) {
  constexpr std::size_t kAll = 400, kShown = 30;
  std::vector<std::size_t> order(found.cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kAll) return order;
  const auto size_of = [&](std::size_t k) {
    const double size = std::abs(found.cells[k].change.mean);
    return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
  };
  std::partial_sort(order.begin(), order.begin() + kShown, order.end(), [&](std::size_t a, std::size_t b) {
    const double size_a = size_of(a), size_b = size_of(b);
    return size_a != size_b ? size_a > size_b : a < b;
  });
  order.resize(kShown);
  return order;
}

std::string names_of_cell(const PairSweep& found, const SweepCell& cell) {
  if (!cell.position) return sweep_cell_name(cell, {});
  // Tokens differ from pair to pair.
  const std::string name = sweep_cell_name(cell, std::vector<std::string>(found.first.trace->inputs->tokens.size()));
  return name.substr(0, name.find_last_not_of(' ') + 1);
}

Arguments with_a_text(Arguments given, const std::string& text) {
  for (const char* option : {"patch", "patch-from"}) given.values.erase(option);
  given.values["phrase"] = text;
  return given;
}

}  // namespace

std::string pair_sweep_json(const PairSweep& found, const PairQuestion& question) {
  const bool noise = question.sweep.direction == SweepDirection::noise;
  Json cells = Json::array();
  for (const PairCell& each : found.cells) {
    const SweepCell& cell = each.cell;
    Json json = {{"layer", cell.layer},
                 {"head", or_null(cell.head)},
                 {"position", or_null(cell.position)},
                 {"stage", cell.stage}};
    json.update(statistics_json(each.value));
    json["change"] = statistics_json(each.change);
    if (cell.neuron) json["neuron"] = *cell.neuron;
    if (cell.from) json["from"] = {{"layer", cell.from->layer}, {"head", cell.from->head}};
    cells.push_back(std::move(json));
  }
  Json json = {{"metric", question.sweep.metric},
               {"pairs", found.pairs},
               {"a", statistics_json(noise ? found.patched : found.source)},
               {"b", statistics_json(noise ? found.source : found.patched)}};
  if (question.sweep.estimate == SweepEstimate::alone) json["estimated"] = true;
  json["cells"] = std::move(cells);
  return json_dump(json, 1) + "\n";
}

std::string pair_sweep_text(const PairSweep& found, const PairQuestion& question) {
  const bool noise = question.sweep.direction == SweepDirection::noise;
  const bool estimated = question.sweep.estimate == SweepEstimate::alone;
  std::string text =
      fmt::format("{} of {}\nA, the clean texts: {}\nB, the corrupt texts: {}\n\n{}{}:\n", question.sweep.metric,
                  counted(found.pairs, "pair"), statistics_text(noise ? found.patched : found.source),
                  statistics_text(noise ? found.source : found.patched),
                  noise ? "A with numbers of B" : "B with numbers of A", estimated ? ", estimated" : "");
  std::vector<std::vector<std::string>> rows = {
      {"part", "mean", "standard error", "same sign", "change", "standard error", "same sign"}};
  const std::vector<std::size_t> shown = shown_cells(found);
  for (const std::size_t k : shown) {
    const PairCell& each = found.cells[k];
    rows.push_back({names_of_cell(found, each.cell), short_number(each.value.mean), error_text(each.value),
                    percent(each.value.same_sign), short_number(each.change.mean), error_text(each.change),
                    percent(each.change.same_sign)});
  }
  text += table_text({{}, {true}, {true}, {true}, {true}, {true}, {true}}, rows);
  if (shown.size() < found.cells.size()) {
    text += fmt::format("{} more change it less on the mean\n", found.cells.size() - shown.size());
  }
  return text;
}

void run_pair_sweep(const Arguments& given, SweepQuestion asked, const CancelToken& cancel) {
  for (const char* option : kSaidByPairs) {
    if (!given.has(option)) continue;
    throw UsageError(option, "found it with --pairs, whose file has the texts of both runs", "one of both");
  }
  if (asked.estimate == SweepEstimate::beside) {
    throw UsageError("estimate", "found it with --pairs, whose means are of runs or of estimates", "--estimate-only");
  }
  PairQuestion question;
  question.file = given.get("pairs");
  question.pairs = read_text_pairs(question.file);
  const std::string path = csv_path(given);
  const std::int64_t memory = stage_memory_of(given);
  asked.patched = given_request(with_a_text(given, question.pairs.front().clean)).request;
  if (shows_decoder(asked.patched)) {
    throw UsageError("pairs", "found a model with an encoder and a decoder, each of which has its text",
                     "a model that reads one text");
  }
  question.sweep = std::move(asked);
  ProgressLine progress;
  progress.show("computing");
  const PairSweep found = pair_sweep(engine_options(memory, true), question, cancel,
                                     [&](double share) { progress.show("sweeping pairs", share); });
  progress.erase();
  write_csv(path, [&] { return pair_sweep_csv(found); });
  said_of_run(given, *found.first.trace, cancel);
  print(given.has("json") ? pair_sweep_json(found, question) : pair_sweep_text(found, question));
}

}  // namespace headscope::cli
