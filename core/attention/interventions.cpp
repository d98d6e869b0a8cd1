#include "core/attention/interventions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/operation_text.h"
#include "core/attention/patches.h"
#include "core/attention/put_numbers.h"
#include "core/attention/stage_arrays.h"
#include "core/base/assert.h"
#include "core/model/past.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

Index index_of(const NumberEdit& edit) {
  Index index;
  for (const std::int64_t at : edit.index) index.push_back(at);
  return index;
}

bool inside(const Region& region, const Index& at) {
  if (at.count != region.count) return false;
  for (int axis = 0; axis < at.count; ++axis) {
    if (at[axis] < region[axis].begin || at[axis] >= region[axis].end) return false;
  }
  return true;
}

}  // namespace

bool intervenes(const Request& request) {
  return any_acts(request, InterventionEffect::numbers) || any_acts(request, InterventionEffect::mask);
}

Request request_of_layer(const Request& request, std::int64_t layer, std::int64_t shown) {
  Request own = request;
  own.layer = layer;
  visit_interventions(own, [&](const auto&, auto& list) {
    std::erase_if(list, [&](const auto& each) { return !speaks_of(each, layer, shown); });
    if constexpr (requires { list.front().layer; }) {
      for (auto& each : list) each.layer = layer;
    }
  });
  return own;
}

std::vector<NumberEdit> edits_of(const Request& request, std::int64_t layer, std::string_view tensor) {
  std::vector<NumberEdit> edits;
  for (const NumberEdit& edit : request.edits) {
    if (edit.on && edit.tensor == tensor && edit.layer.value_or(layer) == layer) edits.push_back(edit);
  }
  return edits;
}

std::vector<NumberEdit> edits_of(const Request& request, std::int64_t layer, StageId stage) {
  return request.edits.empty() ? std::vector<NumberEdit>() : edits_of(request, layer, stage_name(stage));
}

bool has_edits(const Request& request, std::int64_t layer, StageId stage) {
  return is_changed(request, layer, stage) || !edits_of(request, layer, stage).empty();
}

void edit_region(const std::vector<NumberEdit>& edits, const Region& region, std::span<float> values) {
  for (const NumberEdit& edit : edits) {
    const Index at = index_of(edit);
    if (!inside(region, at)) continue;
    std::int64_t offset = 0;
    for (int axis = 0; axis < at.count; ++axis) offset = offset * region[axis].size() + at[axis] - region[axis].begin;
    values[static_cast<std::size_t>(offset)] = edit.value;
  }
}

Tensor with_edits(const std::vector<NumberEdit>& edits, const Tensor& tensor) {
  if (edits.empty()) return tensor;
  for (const NumberEdit& edit : edits) {
    HEADSCOPE_ASSERT(inside(whole(tensor.shape()), index_of(edit)), edit.tensor + " " + to_string(tensor.shape()));
  }
  if (!tensor.stored() && tensor.two_byte_data() == nullptr) {
    return Tensor::computed(tensor.shape(), tensor.axes(), [edits, tensor](const Region& region, std::span<float> out) {
      tensor.read(region, out);
      edit_region(edits, region, out);
    });
  }
  std::vector<float> values = tensor.values();
  edit_region(edits, whole(tensor.shape()), values);
  return Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
}

const FrozenHead* frozen_head(const Request& request, std::int64_t layer, std::int64_t head) {
  for (const FrozenHead& each : request.freeze) {
    if (each.on && each.place == LayerHead{layer, head}) return &each;
  }
  return nullptr;
}

bool any_frozen(const Request& request, std::int64_t layer) {
  return std::any_of(request.freeze.begin(), request.freeze.end(),
                     [layer](const FrozenHead& each) { return each.on && each.place.layer == layer; });
}

void read_frozen_row(FrozenHead::As as, const HiddenCells& hidden, const FrozenRow& row, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0F);
  if (as == FrozenHead::As::identity) {
    const std::int64_t own = row.query + row.diagonal;
    if (0 <= own && own < static_cast<std::int64_t>(out.size()) &&
        !hidden.hidden(row.batch, row.head, row.query, own)) {
      out[static_cast<std::size_t>(own)] = 1.0F;
    }
    return;
  }
  const std::int64_t visible = hidden.visible_count(row.batch, row.head, row.query);
  if (visible == 0) return;
  const float share = 1.0F / static_cast<float>(visible);
  std::vector<std::uint8_t> cells(out.size());
  hidden.read_row(row.batch, row.head, row.query, cells);
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (cells[j] == 0) out[j] = share;
  }
}

std::int64_t own_diagonal(const Request& request, const Inputs& inputs) {
  return diagonal_of(request, inputs);
}

double head_factor(const Request& request, StageId stage, std::int64_t layer, std::int64_t head) {
  const std::vector<HeadFactor>* factors = factors_of(request, stage);
  if (factors == nullptr) return 1;
  double factor = 1;
  for (const HeadFactor& each : *factors) {
    if (each.on && (!each.place || *each.place == LayerHead{layer, head})) factor *= each.factor;
  }
  return factor;
}

Tensor with_head_factors(const Request& request, StageId stage, std::int64_t layer, const Tensor& heads) {
  const std::int64_t head_size = heads.dim(2) * heads.dim(3);
  std::vector<float> values;
  for (std::int64_t h = 0; h < heads.dim(1); ++h) {
    const double factor = head_factor(request, stage, layer, h);
    if (factor == 1.0) continue;
    if (values.empty()) values = heads.values();
    for (std::int64_t b = 0; b < heads.dim(0); ++b) {
      float* head = values.data() + (b * heads.dim(1) + h) * head_size;
      for (std::int64_t k = 0; k < head_size; ++k) head[k] = static_cast<float>(head[k] * factor);
    }
  }
  return values.empty() ? heads : Tensor::of(heads.shape(), heads.axes(), std::move(values));
}

std::string intervention_note(const Request& request, const Inputs* inputs, std::int64_t layer, StageId stage) {
  std::string note;
  if (const std::vector<HeadFactor>* factors = factors_of(request, stage)) {
    for (const HeadFactor& each : *factors) {
      if (!each.on || (each.place && each.place->layer != layer)) continue;
      note += each.place ? fmt::format(", head {} × {}", each.place->head, number_text(each.factor))
                         : fmt::format(", × {}", number_text(each.factor));
    }
  }
  if (stage == StageId::weights) {
    for (const FrozenHead& each : request.freeze) {
      if (!each.on || each.place.layer != layer) continue;
      note += fmt::format(", head {} {}", each.place.head, each.as == FrozenHead::As::uniform ? "uniform" : "identity");
    }
  }
  if (inputs != nullptr) note += arrays_note(request, *inputs, layer, stage_name(stage));
  if (inputs != nullptr && has_patches(request, layer, stage)) note += ", from A";
  if (const std::size_t edited = edits_of(request, layer, stage).size(); edited > 0) {
    note += fmt::format(", {} edited", edited);
  }
  return note;
}

}  // namespace headscope
