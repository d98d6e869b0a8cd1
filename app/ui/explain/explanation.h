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
  bool is_strongest = false;  // the user picked no cell: this is the strongest arc of the head
};

// Draws from the top of `area` the part inside `visible`, and returns the height of everything, for the caller's scroll
// area. `what`: nullopt draws a hint. `title`: drawn at the top with the buttons; "": the caller draws its own.
float draw_explanation(Ui& ui, PanelData& data, const std::optional<Explained>& what, const Rect& area,
                       const Rect& visible, const std::string& title);

// The step whose term is lit in the formula: the one under the mouse, else the one with the focus.
struct LitStep {
  CellPlace of;
  std::string name;  // ExplainStep::name
  friend bool operator==(const LitStep&, const LitStep&) = default;
};
struct LitStepState {
  std::optional<LitStep> lit, next;  // of this frame; found in this frame for the next one
};

// ---- parts
// A column that is filled from top to bottom; only the part inside `visible` is drawn.
struct Writer {
  Ui& ui;
  PanelData& data;
  CellPlace place;  // the explained cell, to which "back" returns
  std::shared_ptr<const CellReport> report;
  Rect area, visible;
  float y = 0;
  std::string part = {};  // "a/": of which of two sums the controls are; "": there is one

  // The name of a control: "inspector/where/term/3".
  std::string name_of(const std::string& control) const { return "inspector/where/" + part + control; }
  bool sees(float from, float to) const { return to > visible.min.y && from < visible.max.y; }
  // The next full-width line.
  Rect line(float height) {
    const Rect rect{{area.min.x, y}, {area.max.x, y + height}};
    y += height;
    return rect;
  }
};

// Writes pieces of text one after another, on as many lines as they need. Pieces with TextRole::link jump to `target`
// (null: to nothing).
void write_pieces(Writer& to, Type type, const std::vector<RoleText>& pieces, const Operand* target = nullptr);
// A text that jumps to an operand when clicked; hovering highlights the operand, Ctrl+C copies its value.
struct OperandLink {
  std::string name;  // of the control
  Rect rect;
  Type type = Type::mono12;
  Rgba color;
  std::string text;
  const Operand& operand;
  float align = 0;  // 0 left, 0.5 in the middle, 1 right
};
void operand_link(Writer& to, const OperandLink& link);
// Sets the text that Ctrl+C copies while the mouse is over `rect`; copying the matrix copies the whole explanation.
void point_at(Writer& to, const Rect& rect, const std::string& cell, const std::string& row);
// The colour in which numbers of an operand are drawn.
Rgba operand_color(const Ui& ui, const Operand& operand);
// "−0.4573"; small numbers in powers of ten.
std::string explained_number(double value, int decimals = 4);

// explanation_steps.cpp: moved cells by name, then the formula of the first cell that is no copy.
void write_formula(Writer& to, const CellReport& report);
// explanation_formula.cpp: a typeset formula and what its letters stand for; `bias`: what its term "+ bias" leads to.
void write_typeset(Writer& to, const Explanation& cell, const Formula& formula, const Operand* bias);
// explanation_steps.cpp: one row a step, in the order of computing; of a score the sum comes first.
void write_steps(Writer& to, const CellReport& report);
// explanation_sum.cpp: the terms of the root's sum, the largest first, the others in one line that can be opened.
void write_sum(Writer& to, const CellReport& report);
// explanation_turned.cpp: the two features that rotary positions turn into the root, each with its sum.
void write_turned(Writer& to, const CellReport& report);
// explanation_features.cpp: query · key by feature, as bars above their numbers; only the largest when there is no room
// for all, followed by a table of all when `whole`.
void write_features(Writer& to, const CellReport& report, bool whole);
// The weight of the largest term, its steps in a line, and its features.
void write_largest_operand(Writer& to, const CellReport& report);
// explanation_file.cpp: a cell of a tensor of the weights file, and the numbers around it.
void write_file_place(Writer& to, const FilePlace& place);

// explanation_text.cpp: the whole explanation for the clipboard, with all digits, separated by tabs.
std::string report_text(const CellReport& report);
std::string terms_text(const CellReport& report);

}  // namespace headscope::ui
