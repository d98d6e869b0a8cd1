// How --cells is spelled, and what else a sheet may be.
#include "core/worksheet/worksheet_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {

namespace {

constexpr const char* kExpected =
    "a number of blanks, or terms such as raw_scores:2, weights:all, weights[0,1,2], sum[0,1], output[1,0] with commas "
    "between them";

[[noreturn]] void refuse(std::string_view term) {
  throw UsageError("cells", in_quotes(term), kExpected);
}

// A whole number of few digits, all of the text.
int number_of(std::string_view text, std::string_view term) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > 10000) refuse(term);
  return number;
}

SheetStage stage_of(std::string_view name, std::string_view term) {
  for (const SheetStage stage : kSheetStages) {
    if (name == sheet_stage_name(stage)) return stage;
  }
  refuse(term);
}

int index_of(SheetStage stage, std::string_view text, std::string_view term) {
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error == std::errc() && end == text.data() + text.size() && index >= 0) return index;
  throw UsageError("cells", fmt::format("{} has the index {}", in_quotes(term), in_quotes(text)),
                   fmt::format("{}, whole numbers from 0", sheet_cell_form(stage)));
}

// "0,1,2" of "weights[0,1,2]".
SheetCell cell_of(SheetStage stage, std::string_view inside, std::string_view term) {
  std::vector<int> at;
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    at.push_back(index_of(stage, inside.substr(begin, end - begin), term));
    begin = end + 1;
  }
  if (at.size() != sheet_axes(stage).size()) {
    throw UsageError(
        "cells",
        fmt::format("{} has {}", in_quotes(term), at.size() == 1 ? "one index" : fmt::format("{} indices", at.size())),
        sheet_cell_form(stage));
  }
  if (stage == SheetStage::output) return {stage, 0, at[0], at[1]};
  return {stage, at[0], at[1], stage == SheetStage::sum ? 0 : at[2]};
}

BlankChoice choice_of(std::string_view term) {
  if (const std::size_t open = term.find('['); open != term.npos) {
    if (!term.ends_with(']')) refuse(term);
    const SheetStage stage = stage_of(term.substr(0, open), term);
    return {stage, cell_of(stage, term.substr(open + 1, term.size() - open - 2), term), 0};
  }
  const std::size_t colon = term.find(':');
  if (colon == term.npos) {
    if (!term.empty() && (term.front() < '0' || term.front() > '9')) return {stage_of(term, term), std::nullopt, 1};
    const int count = number_of(term, term);
    if (count == 0) refuse(term);
    return {std::nullopt, std::nullopt, count};
  }
  const std::string_view count = term.substr(colon + 1);
  const int number = count == "all" ? kAllCells : number_of(count, term);
  if (number == 0) refuse(term);
  return {stage_of(term.substr(0, colon), term), std::nullopt, number};
}

// Where a term ends: at a comma that stands in no brackets.
std::size_t term_end(std::string_view text, std::size_t begin) {
  bool inside = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    if (text[at] == '[') inside = true;
    if (text[at] == ']') inside = false;
    if (text[at] == ',' && !inside) return at;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> word_names(const WorksheetSpec& spec) {
  std::vector<std::string> names = spec.words;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (std::count(spec.words.begin(), spec.words.end(), spec.words[k]) > 1) names[k] += fmt::format(" {}", k);
  }
  return names;
}

bool is_hidden(const WorksheetSpec& spec, int query, int key) {
  return spec.causal && key > query;
}

const char* sheet_size_name(SheetSize size) {
  return size == SheetSize::a4 ? "a4" : "letter";
}

const char* sheet_stage_name(SheetStage stage) {
  constexpr std::array<const char*, kSheetStages.size()> kNames = {"raw_scores", "scores",  "exp",   "sum",
                                                                   "weights",    "context", "output"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::vector<std::string_view> sheet_axes(SheetStage stage) {
  switch (stage) {
    case SheetStage::sum:
      return {"head", "query"};
    case SheetStage::context:
      return {"head", "query", "feature"};
    case SheetStage::output:
      return {"query", "feature"};
    default:
      return {"head", "query", "key"};
  }
}

std::string sheet_cell_form(SheetStage stage) {
  return fmt::format("{}[{}]", sheet_stage_name(stage), fmt::join(sheet_axes(stage), ","));
}

std::string sheet_cell_text(const SheetCell& cell) {
  const char* const name = sheet_stage_name(cell.stage);
  if (cell.stage == SheetStage::output) return fmt::format("{}[{},{}]", name, cell.row, cell.column);
  if (cell.stage == SheetStage::sum) return fmt::format("{}[{},{}]", name, cell.head, cell.row);
  return fmt::format("{}[{},{},{}]", name, cell.head, cell.row, cell.column);
}

std::vector<BlankChoice> blank_choices_of(std::string_view text) {
  std::vector<BlankChoice> choices;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = term_end(text, begin);
    choices.push_back(choice_of(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return choices;
}

std::string blank_choices_text(const std::vector<BlankChoice>& choices) {
  std::string text;
  for (const BlankChoice& choice : choices) {
    if (!text.empty()) text += ',';
    if (choice.cell) {
      text += sheet_cell_text(*choice.cell);
    } else if (!choice.stage) {
      text += fmt::format("{}", choice.count);
    } else {
      const std::string count = choice.count == kAllCells ? "all" : fmt::format("{}", choice.count);
      text += fmt::format("{}:{}", sheet_stage_name(*choice.stage), count);
    }
  }
  return text;
}

}  // namespace headscope
