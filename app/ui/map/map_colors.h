// Colours and range of a map, as the view sets them: in words and as a control.
#pragma once

#include <string>

#include "app/ui/panel_data.h"

namespace headscope::ui {

// How the range of a map's colours is chosen.
enum class RangeChoice { shared, per_head, per_row, fixed };
RangeChoice range_choice(const ViewState& view);

// A combo of all colour maps; a chosen one is used in both themes, the last line restores the theme's own.
void color_map_combo(Ui& ui, const std::string& name, const Rect& rect, bool weight_like);

// "range: shared 0–1", "range: per head", "range: per row", "range: fixed −1–2", with ", log".
std::string range_label(const ViewState& view, const ValueRange& shared, bool weight_like);
// "one range for all heads", "each head has its own range", ...
std::string range_sentence(const ViewState& view);

// "0–1", "±2.31".
std::string spelled_range(const ValueRange& range);

// "0", "1", "0.25", "2.31", "1e+20", with U+2212.
std::string short_number(double value);

}  // namespace headscope::ui
