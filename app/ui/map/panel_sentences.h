// Sentences and marks that several panels show the same way.
#pragma once

#include <string>

#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// "Row 4 (Alex) is hidden completely: 0 ÷ 0, drawn as NaN." Empty when there is no such row.
std::string fully_masked_sentence(const Trace& trace);
// That, else what hidden cells hold of the weight all the same; empty when neither is so.
std::string mask_sentence(const Trace& trace);

// "weight, one range for all heads.  rows query  columns key", the roles in their colours.
void draw_legend_words(Ui& ui, const Rect& line, const std::string& sentence);

// The token of a row or column, or its index where there is none: "it", "#7".
std::string token_or_index(const std::vector<std::string>& names, std::int64_t index);

// "the rows are permuted" as "The rows are permuted."; "" stays.
std::string as_sentence(std::string words);

}  // namespace headscope::ui
