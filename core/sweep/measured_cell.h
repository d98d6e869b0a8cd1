// One number of any stage of any layer, as a metric: what becomes of it when parts of the model take other numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/attention/model_trace.h"
#include "core/attention/patches.h"
#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

struct MeasuredCell {
  std::int64_t layer = -1;  // -1: that of the request
  StageId stage = StageId::weights;
  Index index;  // as many places as the stage has axes
  friend bool operator==(const MeasuredCell&, const MeasuredCell&) = default;
};

// "[L/]STAGE:B,H,I,J", as --edit spells a place. UsageError of the option "metric".
MeasuredCell parse_measured_cell(std::string_view text);

// "1/weights:0,7,5,1"; without its layer where it is -1.
std::string measured_cell_text(const MeasuredCell& cell);

// Whether a run has it; its layer is settled.
bool has_cell(const ModelTrace& model, const MeasuredCell& cell);

// The cell with its layer. UsageError of the option "metric" for a layer, a stage or a place that the run has not.
MeasuredCell settled_cell(const ModelTrace& model, MeasuredCell cell);

// Of a cell that is settled.
double measured_value(const ModelTrace& model, const MeasuredCell& cell);

// The same cell of the run whose numbers `found` matches: its queries, keys and positions in the places of their
// partners. nullopt: one of them has no partner.
std::optional<MeasuredCell> cell_in_source(const ModelTrace& model, const MeasuredCell& cell, const Patches& found);

}  // namespace headscope
