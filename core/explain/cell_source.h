// The cells of one tensor that a cell is computed from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

enum class SourceRole { input, query, key, value, score, weight, context, projection, bias, mask };
// "input", "query", ...: as the JSON of `explain` spells it.
std::string_view role_name(SourceRole role);

// What the numbers of a stage are to the one that is computed from them.
SourceRole role_of_stage(StageId stage);

// Cells of one tensor that feed a cell.
struct CellSource {
  std::optional<StageId> stage;  // nullopt: a tensor of the layer's weights
  std::string name;              // "masked_scores", "qkv_layer.weight"
  Tensor tensor;                 // a stage in its own axes; a tensor of the weights file in the file's own axes
  Region region;                 // the cells; of a sum they lie along one axis, in the order of the terms
  SourceRole role{};
};

}  // namespace headscope
