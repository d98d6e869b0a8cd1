// What interventions do to the stages: numbers replaced, heads held or multiplied. Those that are switched off are not
// there for any of these.
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

// Whether edits, frozen heads, factors or painted cells take part, in any layer.
bool intervenes(const Request& request);

// The request as layer `layer` of a model runs it, where `shown` is the layer that is looked at: only what speaks of
// it.
Request request_of_layer(const Request& request, std::int64_t layer, std::int64_t shown);

// The edits of a stage or of a tensor of the weights, in `layer`. One that names no layer speaks of the shown one;
// other layers' requests do not hold it.
std::vector<NumberEdit> edits_of(const Request& request, std::int64_t layer, std::string_view tensor);
std::vector<NumberEdit> edits_of(const Request& request, std::int64_t layer, StageId stage);
bool has_edits(const Request& request, std::int64_t layer, StageId stage);

// `tensor` with the numbers exchanged: a copy of a stored one; of a computed one read so. As it is without edits.
Tensor with_edits(const std::vector<NumberEdit>& edits, const Tensor& tensor);

// The same of a region that was read, row-major.
void edit_region(const std::vector<NumberEdit>& edits, const Region& region, std::span<float> values);

// How the weights of a head are held; null: they are computed.
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

// What is added to i to get the query's own key: 0, or with bottom-right alignment key_len - query_len (without the key
// of bias_k).
std::int64_t own_diagonal(const Request& request, const Inputs& inputs);

// What multiplies a head of a stage: the factors that name it and those that name none, as one product; 1 where no
// option multiplies the stage.
double head_factor(const Request& request, StageId stage, std::int64_t layer, std::int64_t head);

// [batch, heads, len, head_dim] with every head multiplied by its factor; as it is when all are 1.
Tensor with_head_factors(const Request& request, StageId stage, std::int64_t layer, const Tensor& heads);

// "", or what the interventions add to the words for a step: ", × 2", ", 1 edited", ", head 3 uniform".
std::string intervention_note(const Request& request, std::int64_t layer, StageId stage);

// The shape that a stage will have; nothing when this request has no such stage.
std::optional<Shape> stage_shape(const Request& request, const Inputs& inputs, StageId stage);

}  // namespace headscope
