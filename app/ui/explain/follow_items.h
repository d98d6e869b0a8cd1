// The pictures of the tensors that feed the followed cell: which there are, and what all of them have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/ui/map/cell_places.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// Sizes at scale 1: the room left of a picture for its row labels, and above it for its name.
constexpr float kFollowGutter = 62, kFollowHeader = 36;

// One picture: a slice of a stage, or a tensor of the weights file.
struct FollowItem {
  StageId stage{};
  bool of_file = false;
  std::string name;
  Tensor matrix;  // of the file; of a stage the panel data has it
  std::int64_t batch = 0, slice = 0;
  std::int64_t rows = 0, columns = 0;
  const char* before = "";  // what stands between it and the one before
  bool again = false;       // the row above ends with the same picture
};
using FollowRow = std::vector<FollowItem>;

// The pictures for a cell, row by row: what makes it, and the stage that holds it. Draws nothing.
std::vector<FollowRow> follow_rows(PanelData& data, const CellPlace& place);

// Name and size of a picture, above it.
void draw_item_name(Ui& ui, const FollowItem& item, const Rect& header);
// What is drawn of it, without its place; of a tensor of the file without its range.
HeatmapView item_view(Ui& ui, PanelData& data, const FollowItem& item);

// follow_concat.cpp: concat with a band for each head; wrongly merged heads have none. `from`: below the cell
// whose number it takes, where a line to it begins; x is 0 when there is none.
void draw_follow_concat(Ui& ui, PanelData& data, const FollowItem& item, const Rect& area, ImVec2 from);

}  // namespace headscope::ui
