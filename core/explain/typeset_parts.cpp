#include "core/explain/typeset_parts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/attention/stage_layout.h"
#include "core/base/minus_sign.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// The role of an axis: positions of queries and of keys have their colours.
FormulaRole role_of_axis(StageId stage, int axis, int rank) {
  if (is_score_like(stage)) {
    return axis == rank - 2 ? FormulaRole::query : axis == rank - 1 ? FormulaRole::key : FormulaRole::plain;
  }
  if (axis != rank - 2) return FormulaRole::plain;
  return rows_are_keys(stage) ? FormulaRole::key : FormulaRole::query;
}

// Indices behind each other, with commas.
FormulaNode index_row(const TypesetCell& cell, std::optional<StageId> stage, const std::vector<std::string>& index) {
  std::vector<FormulaNode> parts;
  const int rank = static_cast<int>(index.size());
  for (int axis = 0; axis < rank; ++axis) {
    if (stage && axis == 0 && rank > 1 && cell.trace.inputs->batch == 1) continue;
    if (!parts.empty()) parts.push_back(text_node(",", FormulaType::script));
    const FormulaRole role = stage ? role_of_axis(*stage, axis, rank) : FormulaRole::plain;
    parts.push_back(text_node(index[static_cast<std::size_t>(axis)], FormulaType::script, role));
  }
  return row_node(std::move(parts));
}

FormulaRole role_of(SourceRole role) {
  switch (role) {
    case SourceRole::query:
      return FormulaRole::query;
    case SourceRole::key:
      return FormulaRole::key;
    case SourceRole::value:
      return FormulaRole::value;
    default:
      return FormulaRole::plain;
  }
}

}  // namespace

FormulaNode word_node(std::string text) {
  return text_node(std::move(text));
}

FormulaNode indexed_letter(std::string letter, std::string below) {
  return scripts_node(word_node(std::move(letter)), text_node(std::move(below), FormulaType::script));
}

FormulaNode number_node(double value) {
  if (std::isnan(value)) return text_node("NaN", FormulaType::number);
  const bool small = value != 0 && std::fabs(value) < 1e-3;
  return text_node(with_minus_signs(small ? fmt::format("{:.3e}", value) : fmt::format("{:.4f}", value)),
                   FormulaType::number);
}

std::optional<double> step_value(const TypesetCell& cell, std::string_view name) {
  for (const ExplainStep& step : cell.why.steps) {
    if (step.name == name) return step.value;
  }
  return std::nullopt;
}

FormulaNode cell_node(const TypesetCell& cell) {
  std::vector<std::string> index;
  for (const std::int64_t at : cell.why.index) index.push_back(std::to_string(at));
  return scripts_node(text_node(std::string(stage_name(cell.why.stage)), FormulaType::name),
                      index_row(cell, cell.why.stage, index));
}

FormulaNode source_node(const TypesetCell& cell, const CellSource& source, const std::string& along, std::string name) {
  std::vector<std::string> index;
  for (const Range& range : source.region) {
    index.push_back(range.size() > 1 ? along : std::to_string(range.begin));
  }
  // A letter stands for a long name of a file.
  const FormulaType type = name.empty() ? FormulaType::name : FormulaType::words;
  if (name.empty()) name = source.name;
  FormulaNode node =
      scripts_node(text_node(std::move(name), type, role_of(source.role)), index_row(cell, source.stage, index));
  return of_term(kSourceTerm, std::move(node));
}

FormulaNode one_source(const TypesetCell& cell) {
  return source_node(cell, cell.origin.sources[0], "j");
}

}  // namespace headscope
