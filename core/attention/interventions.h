// What interventions do to the stages: they replace numbers, hold heads and multiply them. All functions here ignore
// interventions that are switched off.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Whether the request has edits, patches, arrays, frozen heads, factors or painted cells, in any layer.
bool intervenes(const Request& request);

// The request that layer `layer` of a model runs: without interventions of other layers. `shown` is the layer that the
// user looks at; an edit that names no layer belongs to it.
Request request_of_layer(const Request& request, std::int64_t layer, std::int64_t shown);

// The edits of a stage, or of a tensor of the weights, in `layer`; empty when there are none. An edit without a layer
// counts: request_of_layer() has left it to the shown layer alone.
std::vector<NumberEdit> edits_of(const Request& request, std::int64_t layer, std::string_view tensor);
std::vector<NumberEdit> edits_of(const Request& request, std::int64_t layer, StageId stage);
// Whether edits, patches or arrays put numbers into the stage.
bool has_edits(const Request& request, std::int64_t layer, StageId stage);

// `tensor` with the new numbers: a copy when it is stored, else a tensor that puts them in when it is read. The same
// tensor when `edits` is empty.
Tensor with_edits(const std::vector<NumberEdit>& edits, const Tensor& tensor);

// Puts the new numbers into the values of a region of the tensor, row-major.
void edit_region(const std::vector<NumberEdit>& edits, const Region& region, std::span<float> values);

// How the weights of a head are frozen; null when they are computed.
const FrozenHead* frozen_head(const Request& request, std::int64_t layer, std::int64_t head);

// Whether any head of the layer is frozen.
bool any_frozen(const Request& request, std::int64_t layer);

// One row of weights: a query of one batch item and head.
struct FrozenRow {
  std::int64_t batch = 0, head = 0, query = 0;
  std::int64_t diagonal = 0;  // of the mask: what is added to the query's number to get its own key
};
// The weights of a query of a frozen head over all keys. uniform: 1 / n for each of n visible keys. identity: 1 at the
// query's own key, when the scores have that key and it is visible. All other weights are 0, also all of a row.
void read_frozen_row(FrozenHead::As as, const HiddenCells& hidden, const FrozenRow& row, std::span<float> out);

// The number that is added to a query's position to get its own key: 0, or with bottom-right alignment key_len -
// query_len (without the key of bias_k).
std::int64_t own_diagonal(const Request& request, const Inputs& inputs);

// The factor of a head of a stage: the product of the factors that name this head and of those that name no head; 1
// where no option multiplies the stage.
double head_factor(const Request& request, StageId stage, std::int64_t layer, std::int64_t head);

// [batch, heads, len, head_dim] with every head multiplied by its factor; the same tensor when all factors are 1.
Tensor with_head_factors(const Request& request, StageId stage, std::int64_t layer, const Tensor& heads);

// What interventions add to the description of a step: ", × 2", ", 1 edited", ", head 3 uniform"; "" when they change
// nothing in this stage. `inputs`, those of the layer, may be null: arrays and patches are then left out.
std::string intervention_note(const Request& request, const Inputs* inputs, std::int64_t layer, StageId stage);

// The shape that a stage will have; nullopt when this request has no such stage.
std::optional<Shape> stage_shape(const Request& request, const Inputs& inputs, StageId stage);

}  // namespace headscope
