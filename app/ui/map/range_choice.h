// How the ends of a map's colours are chosen: in the view, by the setting, and by an offer where a map shows little.
#pragma once

#include <string>

#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

enum class RangeChoice { shared, per_head, per_row, fit, fixed };
// Of the maps of heads.
RangeChoice range_choice(const ViewState& view);
void choose_range(ViewState& view, RangeChoice choice);

// The range of the maps of this stage: of all heads for a stage of scores or weights, else of this stage alone.
// From low to high; fitted to most of the values; by the numbers.
void choose_fixed(ViewState& view, StageId stage, double low, double high);
void choose_fit(ViewState& view, StageId stage);
void choose_automatic(ViewState& view, StageId stage);
// Whether the range is by the numbers, all of them.
bool is_automatic(const ViewState& view, StageId stage);
// Whether it is fitted to most of the values.
bool is_fit(const ViewState& view, StageId stage);

// One slice of a stage.
struct MapSlice {
  StageId stage = StageId::weights;
  std::int64_t batch = 0, slice = 0;
};

// Whether nearly all numbers look alike in linear colours that the numbers chose.
bool offers_contrast(const Ui& ui, PanelData& data, const MapSlice& of);

// "99 % of cells share 5 % of the colours", and buttons `NAME/fit` and, for weights, `NAME/log`, at the right end of
// `line`. Returns the width that it needs; without room for the words, only the buttons are drawn.
float draw_contrast_offer(Ui& ui, const std::string& name, const Rect& line, StageId stage);

// With Settings::auto_contrast: takes the offer when a new result or another stage is shown, and goes back where it is
// no longer needed. What is chosen by hand stays until then.
void follow_contrast_setting(Ui& ui, PanelData& data, const MapSlice& of);

}  // namespace headscope::ui
