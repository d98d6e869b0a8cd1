#include "app/cli/cost_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/cost/cost_words.h"
#include "core/cost/layer_cost.h"
#include "core/cost/machine_peaks.h"
#include "core/request/stage.h"

namespace headscope::cli {

namespace {

constexpr std::size_t kWidth = 100;        // of the terminal, in columns
constexpr std::size_t kLeastFormula = 24;  // of the column of formulas
constexpr const char* kTwice = "twice as long";

// Columns that a text of ours takes: its code points, of which none is wide.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// The words of a text in lines of at most `width` columns; a word that is longer has a line of its own.
std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + std::string(word);
  }
  return lines;
}

// "- " and the sentence, whose other lines begin below its first word.
std::string item(std::string_view sentence) {
  std::string all;
  for (const std::string& line : lines_of(sentence, kWidth - 2)) all += (all.empty() ? "- " : "  ") + line + "\n";
  return all;
}

// Returns what stands below the name of a stage.
struct StageLines {
  std::string name;
  std::vector<CostLine> lines;
};

std::vector<StageLines> lines_of_stages(const LayerCost& cost) {
  std::vector<StageLines> all;
  for (const StageCost& stage : cost.stages) {
    if (!stage.now.any()) continue;
    all.push_back({std::string(stage_name(stage.stage)), cost_lines(stage.formulas, stage.now, stage.twice)});
  }
  all.push_back({"layer", cost_lines(cost.formulas, cost.now, cost.twice)});
  return all;
}

// Returns what the other columns leave of the terminal's width: two blanks before each of them, and before the names.
std::size_t formula_width(const std::vector<StageLines>& stages) {
  std::size_t name = 0, here = 0, twice = std::string_view(kTwice).size(), factor = 0;
  for (const StageLines& stage : stages) {
    for (const CostLine& line : stage.lines) {
      name = std::max(name, columns_of(line.name));
      here = std::max(here, columns_of(line.here));
      twice = std::max(twice, columns_of(line.twice));
      factor = std::max(factor, columns_of(line.factor));
    }
  }
  const std::size_t others = 2 + name + 2 + 2 + here + 2 + twice + 2 + factor;
  return std::max(kWidth - std::min(kWidth, others), kLeastFormula);
}

// A formula that is longer than its column goes on below.
std::string formulas_text(const LayerCost& cost) {
  const std::vector<StageLines> stages = lines_of_stages(cost);
  const std::size_t width = formula_width(stages);
  std::vector<std::vector<std::string>> rows = {{"formulas", "", "here", kTwice, ""}};
  for (const StageLines& stage : stages) {
    rows.push_back({stage.name, "", "", "", ""});
    for (const CostLine& line : stage.lines) {
      const std::vector<std::string> formula = lines_of(line.formula, width);
      rows.push_back({"  " + line.name, formula.front(), line.here, line.twice, line.factor});
      for (std::size_t k = 1; k < formula.size(); ++k) rows.push_back({"", formula[k], "", "", ""});
    }
  }
  return table_text({{}, {}, {true}, {true}, {true}}, rows);
}

}  // namespace

OptionSpec cost_option() {
  return {"cost", "",
          "What the layer costs, stage by stage, also of a text that is twice as long: multiply-adds, bytes, "
          "operations per byte, the cache, each with its formula; and what limits it on this machine, whose peaks are "
          "measured (0.3 s)."};
}

std::shared_ptr<const CostReport> given_cost(const Arguments& given, const Trace& trace) {
  if (!given.has("cost")) return nullptr;
  const std::string why = no_cost_sentence(trace);
  if (!why.empty()) throw UsageError("cost", "found, but " + why, "a model, a layer or drawn weights");
  return std::make_shared<const CostReport>(CostReport{layer_cost(trace), measured_machine_peaks(0)});
}

std::string cost_text(const CostReport& report) {
  const std::vector<Column> numbers(7, {true});
  std::vector<Column> columns = {{}};
  columns.insert(columns.end(), numbers.begin(), numbers.end());
  columns[6] = {};  // what limits it, in words
  std::string text = "\nWhat the layer costs\n" + table_text(columns, cost_table(report.cost, &report.peaks)) + "\n";
  text += item(peaks_sentence(report.peaks));
  for (const std::string& sentence : cost_sentences(report.cost)) text += item(sentence);
  text += "\n" + formulas_text(report.cost) + "\n";
  text += table_text({{}, {true}, {true}, {}}, cost_size_table(report.cost));
  return text;
}

}  // namespace headscope::cli
