// Colours and range of a map, as the view sets them: in words and as a control.
#pragma once

#include <string>

#include "app/ui/panel_data.h"

namespace headscope::ui {

// A combo of all colour maps; a chosen one is used in every theme, the last line restores the theme's own.
void color_map_combo(Ui& ui, const std::string& name, const Rect& rect, bool weight_like);

// "range: shared 0–1", "range: per head", "range: per row", "range: fit 0.001–0.04", "range: fixed −1–2", with ", log".
// `shown`: of a shared or fitted one.
std::string range_label(const ViewState& view, const ValueRange& shown, bool weight_like);
// "one range for all heads", "each head has its own range", ...
std::string range_sentence(const ViewState& view);

// "0–1", "±2.31".
std::string spelled_range(const ValueRange& range);

// "0", "1", "0.25", "2.31", "1e+20", with U+2212.
std::string short_number(double value);

}  // namespace headscope::ui
