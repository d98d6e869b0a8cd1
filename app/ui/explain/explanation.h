// 'Where this number comes from': the panel, and its parts, one file each. explanation.cpp puts them together.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/session/background/explanations.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What a panel explains in this frame.
struct Explained {
  CellPlace place;
  bool is_strongest = false;  // nobody picked it: the strongest link of the head
};

// Draws into `area` from its top, as far as `visible`, and returns the height that all of it needs, which the caller
// scrolls. `title`: over all, with the buttons; empty: the caller has its own.
float draw_explanation(Ui& ui, PanelData& data, const std::optional<Explained>& what, const Rect& area,
                       const Rect& visible, const std::string& title);

// ---- parts
// A column that is written from top to bottom; only what lies in `visible` is drawn.
struct Writer {
  Ui& ui;
  PanelData& data;
  CellPlace place;  // whose explanation it is: what one comes back to
  std::shared_ptr<const CellReport> report;
  Rect area, visible;
  float y = 0;

  bool sees(float from, float to) const { return to > visible.min.y && from < visible.max.y; }
  // The next full-width line.
  Rect line(float height) {
    const Rect rect{{area.min.x, y}, {area.max.x, y + height}};
    y += height;
    return rect;
  }
};

// Pieces of text one after another, on as many lines as they need. Pieces of the role link jump to `target`.
void write_pieces(Writer& to, Type type, const std::vector<RoleText>& pieces, const Operand* target = nullptr);
// A text that jumps to an operand when it is clicked; hovering links to it, Ctrl+C copies its value.
void operand_link(Writer& to, const std::string& name, const Rect& rect, Type type, Rgba color, const std::string& text,
                  const Operand& operand, float align);
// What Ctrl+C takes while the mouse is over `rect`; as the matrix, all of the explanation.
void point_at(Writer& to, const Rect& rect, const std::string& cell, const std::string& row);
// The colour of numbers of an operand.
Rgba operand_color(const Ui& ui, const Operand& operand);
// "−0.4573", small ones in powers of ten.
std::string number_text(double value, int decimals = 4);

// explanation_sum.cpp: the terms of the sum at the root, the largest first, the rest in one line that opens.
void write_sum(Writer& to, const CellReport& report);
// explanation_features.cpp: query · key by feature, as bars over their numbers; the largest where not all have room,
// and then, if `whole`, all of them as a table.
void write_features(Writer& to, const CellReport& report, bool whole);
// The weight of the largest term, its steps in a line, and its features.
void write_largest_operand(Writer& to, const CellReport& report);
// explanation_file.cpp: a cell of a tensor of the weights file, and the numbers around it.
void write_file_place(Writer& to, const FilePlace& place);

// explanation_text.cpp: all of it for the clipboard, numbers with every digit, between tabs.
std::string report_text(const CellReport& report);
std::string terms_text(const CellReport& report);

}  // namespace headscope::ui
