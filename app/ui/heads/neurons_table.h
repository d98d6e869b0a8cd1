// The table of the view 'neurons': its columns, and what stands in a row.
#pragma once

#include <cstdint>

#include "app/ui/heads/arcs.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

struct NeuronsTable {
  PanelData& data;
  ArcsFocus focus;
  const Neurons& neurons;
  std::int64_t features = 0, keys = 0;
  float pitch = 0, cell_height = 0;
  // Left edges, and right ones of numbers.
  float name_right = 0, cells = 0, strip = 0, products = 0, score = 0, bar = 0, bar_width = 0, weight = 0;

  // Whether products are cells of a colour map: there are too many features for a bar each.
  bool products_as_cells() const;
};

// The strips of features fill what names (`names` pixels wide) and numbers leave, in whole pixels a feature where there
// is room.
void place_columns(Ui& ui, NeuronsTable& table, const Rect& area, float names);
void draw_neurons_headings(Ui& ui, const NeuronsTable& table, const Rect& area);
void draw_neurons_footer(Ui& ui, const NeuronsTable& table, const Rect& area);

// Rows [first, first + count) of a matrix [rows, features] as cells at (left, top), a row each `pitch`; the caller
// covers the gaps between rows.
struct NeuronsCells {
  const Tensor& matrix;
  double largest = 0;  // the end of the colours
  float left = 0, top = 0;
  std::int64_t first = 0, count = 1;
};
void draw_neurons_cells(Ui& ui, const NeuronsTable& table, const NeuronsCells& cells);

void draw_query_row(Ui& ui, const NeuronsTable& table, const Rect& row);
// Of key `j`: its products as bars where these are no cells; its score and weight.
void draw_product_bars(Ui& ui, const NeuronsTable& table, std::int64_t j, const Rect& row);
void draw_key_numbers(Ui& ui, const NeuronsTable& table, std::int64_t j, const Rect& row, bool chosen);

}  // namespace headscope::ui
