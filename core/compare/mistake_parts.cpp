// What the tables of mistakes share: how a request and its inputs are changed.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/attention/projection_steps.h"
#include "core/compare/mistakes.h"
#include "core/request/mask.h"
#include "core/request/request.h"

namespace headscope {

void separate_projections(Altered& what) {
  LayerWeights& weights = what.inputs.weights;
  if (!weights.fused()) return;
  const QkvLayout layout = read_layout_of(what.request, weights);
  Linear query = part_of(what.inputs, layout, Part::query);
  Linear key = part_of(what.inputs, layout, Part::key);
  Linear value = part_of(what.inputs, layout, Part::value);
  weights.query = std::move(query);
  weights.key = std::move(key);
  weights.value = std::move(value);
  weights.qkv = {};
  weights.fused_key_rows.reset();
  std::erase_if(what.request.variants, [](Variant variant) {
    return variant == Variant::qkv_blocked_as_per_head || variant == Variant::qkv_per_head_as_blocked;
  });
}

bool is_position_bias(const Inputs& inputs, const MaskTerm& term) {
  if (term.kind == MaskTerm::Kind::alibi) return true;
  const std::vector<MaskFile>& files = inputs.mask_files;
  return term.kind == MaskTerm::Kind::file && std::any_of(files.begin(), files.end(), [&](const MaskFile& file) {
           return !file.rows.empty() && file.path == term.path;
         });
}

bool has_mask(const Altered& what) {
  const auto hides = [&](const MaskTerm& term) { return !is_position_bias(what.inputs, term); };
  const auto any = [&](const std::vector<MaskTerm>& terms) { return std::any_of(terms.begin(), terms.end(), hides); };
  const std::vector<MaskFile>& files = what.inputs.mask_files;  // those with rows are biases of relative positions
  const bool file = std::any_of(files.begin(), files.end(), [](const MaskFile& each) { return each.rows.empty(); });
  return file || any_painted(what.request) || any(what.request.mask) || any(what.inputs.own_mask);
}

bool fill_with(Altered& what, double fill) {
  return has_mask(what) && std::exchange(what.request.mask_fill, fill) != fill;
}

void set_scale(Altered& what, double scale) {
  what.request.scale = scale;
  std::erase_if(what.request.variants,
                [](Variant variant) { return variant == Variant::no_scale || variant == Variant::scale_by_d_model; });
}

}  // namespace headscope
