#include "core/attention/put_numbers.h"

#include <algorithm>
#include <utility>

#include "core/attention/patches.h"
#include "core/attention/stage_arrays.h"
#include "core/request/intervention_kinds.h"
#include "core/request/intervention_text.h"

namespace headscope {
namespace {

constexpr const char* kArraySteps[] = {"set", "added", "projected out"};

Shape stream_shape(const Inputs& inputs) {
  return {inputs.batch, inputs.query_len, inputs.d_model};
}

// What the arrays of a cell did to it.
std::optional<PutNumber> put_by_arrays(const Trace& trace, std::string_view stage, const Shape& shape,
                                       const Index& index) {
  const std::vector<StageArray> arrays = arrays_at(trace.request, *trace.inputs, stage, shape, index);
  if (arrays.empty()) return {};
  PutNumber put;
  put.passes = true;
  for (const StageArray& each : arrays) {
    put.step = kArraySteps[static_cast<std::size_t>(each.use)];
    put.by += (put.by.empty() ? "" : ", and ") + array_words(each);
    put.passes = put.passes && each.use != ArrayUse::set;
  }
  return put;
}

std::optional<PutNumber> put_before_edits(const Trace& trace, std::string_view stage, const Shape& shape,
                                          const Index& index, bool patched) {
  if (patched) return PutNumber{0, "patched", "--patch, of A", false};
  return put_by_arrays(trace, stage, shape, index);
}

}  // namespace

bool is_changed(const Request& request, std::int64_t layer, std::string_view stage) {
  return has_patches(request, layer, stage) || has_arrays(request, layer, stage);
}

bool is_changed(const Request& request, std::int64_t layer, StageId stage) {
  return is_changed(request, layer, stage_name(stage));
}

std::string changed_by(const Request& request, std::int64_t layer, std::string_view stage) {
  if (has_patches(request, layer, stage)) return "patch";
  std::string option;
  visit_arrays(request, [&](const auto& kind, const StageArray& array) {
    if (option.empty() && array.on && may_change(array, layer, stage)) option = kind.option.name;
  });
  return option;
}

std::string scores_changed_by(const Request& request, std::int64_t layer) {
  for (const StageId stage : all_stages()) {
    if (!is_score_like(stage)) continue;
    if (std::string option = changed_by(request, layer, stage_name(stage)); !option.empty()) return option;
  }
  return {};
}

Tensor with_changes(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage,
                    const Tensor& tensor) {
  return with_patches(request, inputs, layer, stage, with_arrays(request, inputs, layer, stage, tensor));
}

std::vector<float> row_with_changes(const Trace& layer, std::string_view stage, std::int64_t position,
                                    std::vector<float> row) {
  const Inputs& inputs = *layer.inputs;
  if (!is_changed(layer.request, inputs.layer, stage)) return row;
  const auto features = static_cast<std::int64_t>(row.size());
  const Tensor rows =
      Tensor::computed({inputs.batch, inputs.query_len, features}, {Axis::batch, Axis::position, Axis::feature},
                       [row](const Region& region, std::span<float> out) {
                         std::copy_n(row.begin() + region[2].begin, region[2].size(), out.begin());
                       });
  std::vector<float> put(row.size());
  with_changes(layer.request, inputs, inputs.layer, stage, rows)
      .read({{0, 1}, {position, position + 1}, {0, features}}, put);
  return put;
}

bool is_changed(const Trace& trace, StageId stage, const Index& index) {
  if (!is_changed(trace.request, trace.inputs->layer, stage)) return false;
  return is_patched(trace, stage, index) ||
         !arrays_at(trace.request, *trace.inputs, stage_name(stage), trace.tensor(stage).shape(), index).empty();
}

bool is_changed(const Trace& layer, std::string_view stage, const Index& index) {
  if (!is_changed(layer.request, layer.inputs->layer, stage)) return false;
  return is_patched(layer, stage, index) ||
         !arrays_at(layer.request, *layer.inputs, stage, stream_shape(*layer.inputs), index).empty();
}

std::optional<PutNumber> put_number(const Trace& trace, StageId stage, const Index& index) {
  std::optional<PutNumber> put;
  if (is_changed(trace.request, trace.inputs->layer, stage)) {
    put =
        put_before_edits(trace, stage_name(stage), trace.tensor(stage).shape(), index, is_patched(trace, stage, index));
    if (put) put->value = trace.tensor(stage).at(index);
  }
  const std::int64_t layer = trace.inputs->layer;
  for (const NumberEdit& edit : trace.request.edits) {
    if (!edit.on || edit.tensor != stage_name(stage) || edit.layer.value_or(layer) != layer) continue;
    if (std::equal(edit.index.begin(), edit.index.end(), index.begin(), index.end())) {
      put = {edit.value, "edited", "--edit", false};
    }
  }
  return put;
}

std::optional<PutNumber> put_number(const Trace& layer, std::string_view stage, const Index& index, float value) {
  if (!is_changed(layer.request, layer.inputs->layer, stage)) return {};
  std::optional<PutNumber> put =
      put_before_edits(layer, stage, stream_shape(*layer.inputs), index, is_patched(layer, stage, index));
  if (put) put->value = value;
  return put;
}

}  // namespace headscope
