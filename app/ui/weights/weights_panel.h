// The tensors of the layer's weights by the names of their file: a list, and the picked one as a map whose numbers can
// be edited. weights_panel.cpp puts it together, weights_map.cpp draws the map, weights_data.cpp keeps its data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/view_state.h"
#include "app/ui/ui.h"
#include "core/attention/edited_weights.h"
#include "core/attention/trace.h"
#include "core/picture/heatmap.h"

namespace headscope::ui {

constexpr const char* kWeightsPicture = "weights/picture";

// The weights of one trace, as the view shows them.
struct WeightsData {
  std::shared_ptr<const Trace> trace;
  std::vector<WeightTensor> tensors;
  std::vector<WeightTensor> unedited;  // the same before edits, in the same order; empty when there are no edits

  // Of the picked tensor, number `at`.
  std::size_t at = 0;
  Tensor matrix;              // rows and columns; in memory as float32 unless it is large
  bool large = false;         // drawn from tiles
  std::uint64_t version = 0;  // different for every matrix, to identify its tiles
  ValueRange range;

  const WeightTensor& tensor() const { return tensors[at]; }
  // The index of a cell of the matrix in the tensor's own axes: a vector is one row.
  Index index_of(Cell cell) const;
  // The active edits of a tensor in the layer of the trace.
  std::vector<NumberEdit> edits(const std::string& name) const;
};

// A jump to a cell: the next frame shows the picked cell in the middle of the map, as large as its number needs.
struct WeightsJump {
  bool wanted = false;
};

// Whether the shown result has weights.
bool has_weights(const Ui& ui);

// The data of the shown result; has_weights() must be true.
WeightsData& weights_data(Ui& ui);

// Opens the view at a cell of a tensor, with the focus on the map.
void show_weight(Ui& ui, const std::string& tensor, Cell cell);

void draw_weights_panel(Ui& ui, const Rect& area);

// weights_map.cpp: the picked tensor in `area`, with its labels, colour bar and readout.
void draw_weights_map(Ui& ui, WeightsData& data, const Rect& area);

}  // namespace headscope::ui
