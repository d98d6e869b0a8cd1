// What a line of the script makes of the phrase on screen: the stage with its shape and its first numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/attention/trace.h"
#include "core/script/script_parts.h"

namespace headscope::ui {

// The stage that a line makes: `query = stage("query", q)`, or the line of LaTeX that says its shape. nullopt: none.
std::optional<StageId> stage_of_line(std::string_view line, ScriptLanguage language);

struct LineValues {
  StageId stage = StageId::input;
  std::string shape;   // "[1, 8, 5, 64]"
  std::string values;  // "0.1284  −0.0210  0.9131  …", of the row below
  std::string row;     // "head 2, it": whose numbers these are
};
// Of the row `row` (the first one where there is no such row) of the stage in this batch item and head.
LineValues line_values(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t head, std::int64_t row);

}  // namespace headscope::ui
