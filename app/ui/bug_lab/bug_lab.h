// The bug lab: the request without and with known mistakes, side by side. bug_lab_panel.cpp puts the parts together,
// one file each.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/tensor_comparison.h"
#include "app/session/background/variant_numbers.h"
#include "app/ui/map/cell_grid.h"
#include "app/ui/panel_data.h"
#include "app/ui/result_pair.h"
#include "app/ui/ui.h"
#include "core/diagnose/stage_sides.h"
#include "core/diagnose/wrong_borders.h"

namespace headscope::ui {

// How high its parts were in the last frame, in pixels; and whether the mistakes that cannot be made here are unfolded.
struct BugLabState {
  float list_height = 0, foot_height = 0, verdicts_height = 0, answers_height = 0, code_height = 0;
  bool locked_open = false;
};

// What differs in the matrix of the user's own stage that is shown, and what it was found for.
struct LabMarks {
  const TensorComparison* of = nullptr;
  StageId stage{};
  std::int64_t batch = -1, head = -1;
  WrongCells wrong;
  std::vector<CellStretch> level, upright;  // borders_of(); empty where there would be too many
  bool hides = false;                       // the mask of pictures hides a cell that differs
  double largest = 0;                       // |theirs - ours|
};

// The user's own tensors in the place of the mistakes.
struct TheirsView {
  std::shared_ptr<const TensorComparison> seen;  // the newest comparison, as soon as a frame has seen it
  bool on = false;                               // they are shown; else right, wrong and their difference
  StageId stage{};                               // one of `seen`
  std::array<std::shared_ptr<PanelData>, 3> data;
  LabMarks marks;
};

// What the lab derived from the traces that it shows.
struct BugLabData {
  std::array<std::shared_ptr<PanelData>, 3> data;       // of right, wrong and their difference
  std::array<std::shared_ptr<PanelData>, 3> precision;  // of double, a format and their difference
  std::vector<TheirFile> files;                         // the user's own tensors
  TheirsView theirs;
};

// What is shown in this frame.
struct LabShown {
  const VariantResult& result;
  PanelData* right = nullptr;  // all null while there is nothing to compare
  PanelData* wrong = nullptr;  // null, as is the difference, while the picked ones cannot run
  PanelData* difference = nullptr;
  StageId stage = StageId::concat;
  std::int64_t batch = 0, head = 0;
};

constexpr const char* kLabList = "bug_lab/variant/";  // the names of its rows begin so

BugLabData& bug_lab_data(Ui& ui);
// The data of one of the lab's traces, made anew when the trace is another one.
PanelData* data_of(Ui& ui, std::shared_ptr<PanelData>& kept, const std::shared_ptr<const Trace>& trace);

void draw_bug_lab(Ui& ui, const Rect& area);
// The control that has the focus when the lab opens: the first variant that is switched on, else the first of the list.
std::string lab_focus(const Ui& ui);
// Right and wrong; nothing while one of the two is unknown or cannot be computed, and where number formats are shown.
std::optional<ResultPair> lab_pair(Ui& ui);

// bug_lab_list.cpp: the variants as switches, and what becomes of them.
void draw_lab_list(Ui& ui, const LabShown& shown, const Rect& area);
void switch_variant(BugLabView& lab, const std::string& name);
// The variants in the contract's order: those that this request can show or has on, and the others, which are folded.
struct LabNames {
  std::vector<std::string> open, locked;
};
LabNames lab_names(Ui& ui, const VariantResult& result);

// bug_lab_pictures.cpp: blocks and values of the stage, right, wrong and their difference.
void draw_lab_pictures(Ui& ui, const LabShown& shown, const Rect& area);

// bug_lab_values.cpp: one stage of up to three traces side by side, rows shared: two in one range, and what differs.
struct LabSides {
  std::array<PanelData*, 3> data{};          // the third: what differs
  std::array<std::string, 3> titles, words;  // above the pictures; in the line below them
  StageId stage{};
  std::int64_t batch = 0, head = 0;
  double largest = 0;               // the end of the third's colours
  bool centred = true;              // they go from -largest; else from 0
  Index cell;                       // of the largest, to be marked; or empty
  const LabMarks* marks = nullptr;  // what differs, to be framed; null: nothing
};
// Where the pictures of a row stand: one, or three.
struct LabColumn {
  std::size_t side = 0;
  float left = 0, right = 0;
};
std::vector<LabColumn> lab_columns(Ui& ui, const Rect& area, BugLabView::Shows shows);
void draw_lab_values(Ui& ui, const LabSides& sides, const std::vector<LabColumn>& columns, const Rect& area);
void draw_lab_readout(Ui& ui, const LabSides& sides, const Rect& line);
void draw_lab_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact);
// The row under the mouse, framed in every picture.
void draw_lab_row_frame(Ui& ui, const CellGrid& grid, std::int64_t row);
constexpr float kLabGutter = 72, kLabTitle = 30, kLabReadout = 26;

// bug_lab_precision.cpp: the request in other number formats, in the place of the mistakes.
void draw_lab_precision(Ui& ui, const Rect& area);
// bug_lab_panel.cpp: the header of the list, which says what the lab shows; returns its height.
float draw_lab_modes(Ui& ui, const Rect& area);

// bug_lab_blocks.cpp: which head and token every block is, on a grid of the same rows and columns as the values.
struct LabPane {
  Rect area;
  const Trace* trace = nullptr;
  std::string name;  // of its picture
  PanelData* data = nullptr;
};
void draw_lab_blocks(Ui& ui, const LabShown& shown, const LabPane& pane);
void draw_lab_agreement(Ui& ui, const LabShown& shown, const Rect& area);
void draw_lab_legend(Ui& ui, const LabShown& shown, const Rect& line);

// bug_lab_verdicts.cpp: 'What it does here'.
void draw_lab_verdicts(Ui& ui, const LabShown& shown, const Rect& area);

// bug_lab_theirs.cpp: theirs, ours and theirs - ours of every stage that was given.
// What of the user's own tensors is shown. A new comparison shows itself, at its first stage that differs.
const TheirsView& theirs_view(Ui& ui);
// Which of both the pictures are of; cuts its place off the right of the line. Nothing before there is a comparison.
void draw_lab_sides_switch(Ui& ui, Rect& line);
void draw_theirs_header(Ui& ui, const Rect& area);
void draw_theirs_pictures(Ui& ui, const Rect& area);
// The next stage after the shown one that differs, around the end.
void next_wrong_stage(Ui& ui);

// bug_lab_marks.cpp: frames around the cells that differ, and marks along the sides of the picture.
// Of the matrix of (batch, head) of the stage that is shown; kept while it is.
const LabMarks& lab_marks(Ui& ui, std::int64_t batch, std::int64_t head);
void draw_lab_marks(Ui& ui, const LabMarks& marks, const Rect& picture);

// bug_lab_answers.cpp: the three answers about a stage: the verdict, where, and which mistake with its share.
void draw_lab_answers(Ui& ui, const TensorComparison& found, StageId stage, const Rect& area);
// The lines of code that the mistakes of the stage probably stand in.
void draw_lab_code(Ui& ui, const TensorComparison& found, StageId stage, const Rect& area);

// bug_lab_compare.cpp: 'Compare with my tensors'.
void draw_lab_compare(Ui& ui, const Rect& area);
// The purpose of a file that is chosen for it.
constexpr const char* kTheirTensors = "theirs";
// A file was chosen for it: joins those that are there, and all are compared.
void compare_with_file(Ui& ui, const std::string& path);

}  // namespace headscope::ui
