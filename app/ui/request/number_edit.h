// A number exchanged by hand, of a tensor over its cell or the factor of a head: a small field. Enter puts it into the
// request, Esc leaves.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "app/ui/map/cell_grid.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/ui.h"
#include "core/attention/trace.h"
#include "core/request/request.h"

namespace headscope::ui {

// The field that is open, or was open last.
struct NumberEditState {
  struct Factor {
    StageId stage{};
    LayerHead place;
  };
  std::variant<NumberEdit, Factor> edited;  // one number of a tensor, or what multiplies a stage of a head
  std::string value;                        // as typed
  ImVec2 at{0, 0};                          // the upper left corner that the field would like
  std::string focus_before;                 // gets the focus back
  bool just_opened = false;                 // in this frame: the click that opened it is none that leaves it
  // Names of tensors come from files.
  void add_text(std::string& all) const {
    if (const auto* number = std::get_if<NumberEdit>(&edited)) all += number->tensor;
  }
};

// Opens the field over `anchor` for the number of a stage at `at`. Nothing happens for what was captured: those numbers
// are not computed here.
void edit_cell(Ui& ui, const Trace& trace, StageId stage, const SlicePlace& at, const Rect& anchor);

// The same for a place of any tensor, of the weights by its file's name.
void edit_number(Ui& ui, const NumberEdit& place, double value, const Rect& anchor);

// The field for what multiplies a stage of a head, one of multiplied_stages().
void edit_factor(Ui& ui, StageId stage, const LayerHead& place, const Rect& anchor);

// Once a frame, after the panels: shows the open field over everything.
void draw_number_edit(Ui& ui);

// The white corner of an edited cell, when it is in sight.
void draw_edited_corner(Ui& ui, Cell cell, const CellGrid& grid);

// The white corners of the cells of the matrix (batch, slice) that the trace's request edits.
void draw_edited_corners(Ui& ui, const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice,
                         const CellGrid& grid);

}  // namespace headscope::ui
