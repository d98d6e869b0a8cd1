// The bug lab: the request without and with known mistakes, side by side. bug_lab_panel.cpp puts the parts together,
// one file each.
#pragma once

#include <array>
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

namespace headscope::ui {

// How high its parts were in the last frame, in pixels.
struct BugLabState {
  float list_height = 0, foot_height = 0, verdicts_height = 0;
};

// What the lab derived from the traces that it shows.
struct BugLabData {
  std::array<std::shared_ptr<PanelData>, 3> data;       // of right, wrong and their difference
  std::array<std::shared_ptr<PanelData>, 3> precision;  // of double, a format and their difference
  std::vector<TheirFile> files;                         // the user's own tensors
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

// bug_lab_pictures.cpp: blocks and values of the stage, right, wrong and their difference.
void draw_lab_pictures(Ui& ui, const LabShown& shown, const Rect& area);

// bug_lab_values.cpp: one stage of up to three traces side by side, rows shared: two in one range, and what differs.
struct LabSides {
  std::array<PanelData*, 3> data{};          // the third: what differs
  std::array<std::string, 3> titles, words;  // above the pictures; in the line below them
  StageId stage{};
  std::int64_t batch = 0, head = 0;
  double largest = 0;   // the end of the third's colours
  bool centred = true;  // they go from -largest; else from 0
  Index cell;           // of the largest, to be marked; or empty
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

// bug_lab_compare.cpp: 'Compare with my tensors'.
void draw_lab_compare(Ui& ui, const Rect& area);
// The purpose of a file that is chosen for it.
constexpr const char* kTheirTensors = "theirs";
// A file was chosen for it: joins those that are there, and all are compared.
void compare_with_file(Ui& ui, const std::string& path);

}  // namespace headscope::ui
