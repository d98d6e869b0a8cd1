// The lines above and below the picture of concat and output.
#pragma once

#include <string>

#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What the panel shows in this frame.
struct ConcatPanel {
  PanelData& data;
  Selection selection;
  bool direct = false;      // heads are merged without a transpose
  bool provenance = false;  // cells are coloured by the head and token that they came from
  std::string hovered;      // the number under the mouse, in words
};

// Name, shape and the number under the mouse; what is shown, its colours and their bar. Edits the view.
void draw_concat_folded(Ui& ui, const ConcatPanel& panel, const Rect& area);  // to one line: a click opens it
void draw_concat_header(Ui& ui, const ConcatPanel& panel, const Rect& area);

// What the direct merge does, and what a corner of a cell means: one line.
void draw_merge_report(Ui& ui, const ConcatPanel& panel, const Rect& line);

}  // namespace headscope::ui
