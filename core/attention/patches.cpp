#include "core/attention/patches.h"

#include <algorithm>
#include <utility>

#include "core/attention/stage_rows.h"
#include "core/base/assert.h"
#include "core/request/intervention_kinds.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

bool speaks(const PatchedStage& patch, std::int64_t layer, std::string_view stage) {
  return patch.on && patch.stage == stage && patch.layer.value_or(layer) == layer;
}

std::vector<PatchedStage> patches_of(const Request& request, std::int64_t layer, std::string_view stage) {
  std::vector<PatchedStage> found;
  for (const PatchedStage& patch : request.patches) {
    if (speaks(patch, layer, stage)) found.push_back(patch);
  }
  return found;
}

const Tensor* numbers_of(const Inputs& inputs, std::int64_t layer, std::string_view stage) {
  if (inputs.patches == nullptr) return nullptr;
  for (const Patches::Stage& each : inputs.patches->stages) {
    if (each.layer == layer && each.name == stage) return &each.numbers;
  }
  return nullptr;
}

// Where each index along an axis lies in A: -1 keeps its own number.
struct AxisPlaces {
  std::vector<std::int64_t> of;
  bool whole = true;  // every index stands for itself
};

// What one stage reads: the tensor of A, and by axis the places in it.
struct Taken {
  Tensor numbers;
  PerAxis<AxisPlaces> axes;
};

AxisPlaces places_along(const StageAxis& axis, std::int64_t count, const Patches& patches) {
  AxisPlaces places;
  const bool queries = axis.size == StageSize::queries;
  const bool keys = axis.size == StageSize::keys || axis.size == StageSize::key_tokens;
  if (queries || keys) {
    places.of = queries ? patches.query_of : patches.key_of;
    places.of.resize(static_cast<std::size_t>(count), -1);
  } else {
    for (std::int64_t k = 0; k < count; ++k) places.of.push_back(k);
  }
  for (std::int64_t k = 0; k < count; ++k) places.whole = places.whole && places.of[static_cast<std::size_t>(k)] == k;
  return places;
}

Taken source_of(const Tensor& numbers, std::string_view stage, const Shape& shape, const Patches& patches) {
  Taken source{numbers, {}};
  const std::vector<StageAxis>& axes = named_axes(stage);
  HEADSCOPE_ASSERT(static_cast<int>(axes.size()) == shape.count, to_string(shape));
  for (int axis = 0; axis < shape.count; ++axis) {
    source.axes.push_back(places_along(axes[static_cast<std::size_t>(axis)], shape[axis], patches));
  }
  return source;
}

// Whether a patch, by its head and position, speaks of an index of the leading axes.
bool covers(const PatchedStage& patch, const std::vector<StageAxis>& axes, const Index& at) {
  const int rows = row_axis(axes);
  for (int axis = 0; axis < at.count; ++axis) {
    const bool head = axes[static_cast<std::size_t>(axis)].axis == Axis::head;
    if (head && patch.head.value_or(at[axis]) != at[axis]) return false;
    if (axis == rows && patch.position.value_or(at[axis]) != at[axis]) return false;
  }
  return true;
}

// Puts a row of A, along the last axis, into the part `columns` of it.
void put_row(const Taken& source, const Index& from, Range columns, std::span<float> row) {
  const int last = source.numbers.rank() - 1;
  Region region;
  for (int axis = 0; axis < last; ++axis) region.push_back({from[axis], from[axis] + 1});
  const AxisPlaces& places = source.axes[last];
  if (places.whole) {
    region.push_back(columns);
    source.numbers.read(region, row);
    return;
  }
  region.push_back({0, source.numbers.dim(last)});
  std::vector<float> whole_row(static_cast<std::size_t>(source.numbers.dim(last)));
  source.numbers.read(region, whole_row);
  for (std::int64_t k = columns.begin; k < columns.end; ++k) {
    const std::int64_t at = places.of[static_cast<std::size_t>(k)];
    if (at >= 0) row[static_cast<std::size_t>(k - columns.begin)] = whole_row[static_cast<std::size_t>(at)];
  }
}

void patch_region(const std::vector<PatchedStage>& patches, const std::vector<StageAxis>& axes, const Taken& source,
                  const Region& region, std::span<float> values) {
  const int last = region.count - 1;
  visit_rows(region, [&](const Index& at, std::int64_t offset) {
    if (std::none_of(patches.begin(), patches.end(), [&](const auto& each) { return covers(each, axes, at); })) return;
    Index from;
    for (int axis = 0; axis < last; ++axis) {
      from.push_back(source.axes[axis].of[static_cast<std::size_t>(at[axis])]);
      if (from[axis] < 0) return;
    }
    put_row(source, from, region[last],
            values.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(region[last].size())));
  });
}

}  // namespace

bool has_patches(const Request& request, std::int64_t layer, std::string_view stage) {
  return std::any_of(request.patches.begin(), request.patches.end(),
                     [&](const PatchedStage& patch) { return speaks(patch, layer, stage); });
}

bool has_patches(const Request& request, std::int64_t layer, StageId stage) {
  return !request.patches.empty() && has_patches(request, layer, stage_name(stage));
}

bool patch_fits(std::string_view stage, const Shape& a, const Shape& b) {
  const std::vector<StageAxis>& axes = named_axes(stage);
  if (a.count != b.count) return false;
  for (int axis = 0; axis < b.count; ++axis) {
    const StageSize size = axes[static_cast<std::size_t>(axis)].size;
    const bool matched = size == StageSize::queries || size == StageSize::keys || size == StageSize::key_tokens;
    if (!matched && a[axis] != b[axis]) return false;
  }
  return true;
}

Tensor with_patches(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage,
                    const Tensor& tensor) {
  if (request.patches.empty()) return tensor;
  const std::vector<PatchedStage> patches = patches_of(request, layer, stage);
  if (patches.empty()) return tensor;
  const Tensor* numbers = numbers_of(inputs, layer, stage);
  HEADSCOPE_ASSERT(numbers != nullptr, "no numbers of A for " + std::string(stage));
  const Taken source = source_of(*numbers, stage, tensor.shape(), *inputs.patches);
  const std::vector<StageAxis>& axes = named_axes(stage);
  if (!tensor.stored() && tensor.two_byte_data() == nullptr) {
    return Tensor::computed(tensor.shape(), tensor.axes(),
                            [patches, axes, source, tensor](const Region& region, std::span<float> out) {
                              tensor.read(region, out);
                              patch_region(patches, axes, source, region, out);
                            });
  }
  std::vector<float> values = tensor.values();
  patch_region(patches, axes, source, whole(tensor.shape()), values);
  return Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
}

namespace {

bool puts_into(const Trace& trace, std::string_view stage, const Shape& shape, const Index& index) {
  const Inputs& inputs = *trace.inputs;
  const std::vector<PatchedStage> patches = patches_of(trace.request, inputs.layer, stage);
  if (patches.empty() || inputs.patches == nullptr) return false;
  const std::vector<StageAxis>& axes = named_axes(stage);
  for (int axis = 0; axis < index.count; ++axis) {
    const AxisPlaces places = places_along(axes[static_cast<std::size_t>(axis)], shape[axis], *inputs.patches);
    if (places.of[static_cast<std::size_t>(index[axis])] < 0) return false;
  }
  return std::any_of(patches.begin(), patches.end(), [&](const auto& each) { return covers(each, axes, index); });
}

}  // namespace

bool is_patched(const Trace& trace, StageId stage, const Index& index) {
  if (trace.request.patches.empty()) return false;
  return puts_into(trace, stage_name(stage), trace.tensor(stage).shape(), index);
}

bool is_patched(const Trace& layer, std::string_view stage, const Index& index) {
  const Inputs& inputs = *layer.inputs;
  return puts_into(layer, stage, {inputs.batch, inputs.query_len, inputs.d_model}, index);
}

std::vector<StageId> unlike_patches(const Request& before, const Inputs& before_inputs, const Request& now,
                                    const Inputs& inputs) {
  std::vector<StageId> unlike;
  if (before.patches.empty() && now.patches.empty()) return unlike;
  const Patches none;
  const Patches& a = before_inputs.patches == nullptr ? none : *before_inputs.patches;
  const Patches& b = inputs.patches == nullptr ? none : *inputs.patches;
  const bool same_places = a.query_of == b.query_of && a.key_of == b.key_of;
  for (const StageId stage : all_stages()) {
    const std::string_view name = stage_name(stage);
    const std::vector<PatchedStage> then = patches_of(before, before_inputs.layer, name),
                                    here = patches_of(now, inputs.layer, name);
    if (then.empty() && here.empty()) continue;
    const Tensor *from = numbers_of(before_inputs, before_inputs.layer, name),
                 *to = numbers_of(inputs, inputs.layer, name);
    const bool same_numbers = from != nullptr && to != nullptr && same_storage(*from, *to);
    if (then != here || !same_places || !same_numbers) unlike.push_back(stage);
  }
  return unlike;
}

}  // namespace headscope
