// Mistakes that other attention code often makes: the contract's known mistakes, and conventions read differently. Each
// is a change of a request and its inputs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/layer_faults.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// A request with some mistakes made, and the layout of its result.
struct Altered {
  Request request;
  Inputs inputs;
  bool batch_is_sequence = false;  // x was read as [len, batch, features], and results are turned back
  bool axes_exchanged = false;     // the result is handed over as [len, batch, features]
  LayerFaults faults = {};         // what neither the request nor its inputs can say
};

// Query, key and value become projections of their own, whatever the layer has.
void separate_projections(Altered& what);

// Whether the term only adds a bias of positions: ALiBi, or a model's biases of relative positions.
bool is_position_bias(const Inputs& inputs, const MaskTerm& term);
// Whether the request, or the model, has a mask: a bias of positions is none.
bool has_mask(const Altered& what);
// Hidden scores become `fill`; false where there is no mask, or where they are that already.
bool fill_with(Altered& what, double fill);
// Scores are multiplied by `scale`, whatever option or variant says otherwise.
void set_scale(Altered& what, double scale);

struct Mistake {
  std::string_view name;        // as --variant spells it; a convention has a name of its own: "query-key-swapped"
  std::string_view sentence;    // says what the mistake does
  bool (*make)(Altered& what);  // false: cannot be made with these inputs, or changes no number
};

// The contract's variants first, kContractVariants of them, then conventions.
const std::vector<Mistake>& known_mistakes();
constexpr std::size_t kContractVariants = 9;

}  // namespace headscope
