#include "core/attention/stage_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "core/attention/array_places.h"
#include "core/attention/stage_rows.h"
#include "core/base/assert.h"
#include "core/model/own_arrays.h"
#include "core/request/intervention_kinds.h"
#include "core/request/intervention_text.h"
#include "core/request/option_text.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// visit(array) of every array that is on, in the order in which they act: that of the kinds.
template <typename Visit>
void visit_acting(const Request& request, const Visit& visit) {
  visit_arrays(request, [&](const auto&, const StageArray& array) {
    if (array.on) visit(array);
  });
}

std::vector<ArrayPlaces> places_in(const Request& request, const Inputs& inputs, std::int64_t layer,
                                   std::string_view stage, const Shape& shape) {
  std::vector<ArrayPlaces> places;
  visit_acting(request, [&](const StageArray& array) {
    if (array.layer.value_or(layer) == layer && changed_stage(array, inputs) == stage) {
      places.emplace_back(array, inputs, stage, shape);
    }
  });
  return places;
}

// Takes the direction out of a whole row. One of zeros was refused before, so that 0 / 0 is a direction without a
// place.
void project_out(std::span<const float> direction, std::span<float> row) {
  double along = 0, square = 0;
  for (std::size_t d = 0; d < row.size(); ++d) {
    along += static_cast<double>(row[d]) * static_cast<double>(direction[d]);
    square += static_cast<double>(direction[d]) * static_cast<double>(direction[d]);
  }
  const double share = along / square;
  for (std::size_t d = 0; d < row.size(); ++d) {
    row[d] = static_cast<float>(static_cast<double>(row[d]) - share * static_cast<double>(direction[d]));
  }
}

// Changes the columns of a row. Those of a direction are all.
void change_row(const ArrayPlaces& places, const Index& at, Range columns, std::span<float> row) {
  const StageArray& array = places.array();
  if (array.file.empty()) return std::fill(row.begin(), row.end(), array.number);
  const std::span<const float> own =
      places.row(at).subspan(static_cast<std::size_t>(columns.begin), static_cast<std::size_t>(columns.size()));
  switch (array.use) {
    case ArrayUse::set:
      std::copy(own.begin(), own.end(), row.begin());
      return;
    case ArrayUse::add:
      for (std::size_t d = 0; d < row.size(); ++d) row[d] += static_cast<float>(array.factor * own[d]);
      return;
    case ArrayUse::project_out:
      project_out(own, row);
  }
}

void change_region(const std::vector<ArrayPlaces>& places, const Region& region, std::span<float> values) {
  const Range columns = region[region.count - 1];
  visit_rows(region, [&](const Index& at, std::int64_t offset) {
    for (const ArrayPlaces& each : places) {
      if (!each.covers(at)) continue;
      change_row(each, at, columns,
                 values.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(columns.size())));
    }
  });
}

// Reads a region of `tensor` with the changes in it; whole rows where a direction is taken out of them.
void read_changed(const std::vector<ArrayPlaces>& places, const Tensor& tensor, const Region& region,
                  std::span<float> out) {
  const int last = region.count - 1;
  const Range columns = region[last], all{0, tensor.dim(last)};
  const bool by_rows = std::any_of(places.begin(), places.end(),
                                   [](const auto& each) { return each.array().use == ArrayUse::project_out; });
  if (!by_rows || columns == all) {
    tensor.read(region, out);
    return change_region(places, region, out);
  }
  Region rows = region;
  rows[last] = all;
  std::vector<float> values(static_cast<std::size_t>(element_count(rows)));
  tensor.read(rows, values);
  change_region(places, rows, values);
  for (std::size_t to = 0, from = 0; to < out.size(); from += static_cast<std::size_t>(all.size())) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from) + columns.begin;
    std::copy_n(first, columns.size(), out.begin() + static_cast<std::ptrdiff_t>(to));
    to += static_cast<std::size_t>(columns.size());
  }
}

std::string file_words(const StageArray& array) {
  return array.file.empty() ? fmt::format("{}", array.number) : std::filesystem::path(array.file).filename().string();
}

}  // namespace

bool may_change(const StageArray& array, std::int64_t layer, std::string_view stage) {
  if (array.layer.value_or(layer) != layer) return false;
  if (array.stage == stage) return true;
  return array.stage == kAttentionArray &&
         (stage == stage_name(StageId::output) || stage == stage_name(StageId::attention_norm_out));
}

bool has_arrays(const Request& request, std::int64_t layer, std::string_view stage) {
  bool any = false;
  visit_acting(request, [&](const StageArray& array) { any = any || may_change(array, layer, stage); });
  return any;
}

std::string_view changed_stage(const StageArray& array, const Inputs& inputs) {
  if (array.stage != kAttentionArray) return array.stage;
  return stage_name(inputs.output_norm != nullptr ? StageId::attention_norm_out : StageId::output);
}

Tensor with_arrays(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage,
                   const Tensor& tensor) {
  if (!has_arrays(request, layer, stage)) return tensor;
  const std::vector<ArrayPlaces> places = places_in(request, inputs, layer, stage, tensor.shape());
  if (places.empty()) return tensor;
  if (!tensor.stored() && tensor.two_byte_data() == nullptr) {
    return Tensor::computed(
        tensor.shape(), tensor.axes(),
        [places, tensor](const Region& region, std::span<float> out) { read_changed(places, tensor, region, out); });
  }
  std::vector<float> values = tensor.values();
  change_region(places, whole(tensor.shape()), values);
  return Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
}

std::vector<StageArray> arrays_at(const Request& request, const Inputs& inputs, std::string_view stage,
                                  const Shape& shape, const Index& index) {
  std::vector<StageArray> found;
  if (!has_arrays(request, inputs.layer, stage)) return found;
  for (const ArrayPlaces& each : places_in(request, inputs, inputs.layer, stage, shape)) {
    if (each.covers(index)) found.push_back(each.array());
  }
  return found;
}

std::string arrays_note(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage) {
  std::string note;
  visit_acting(request, [&](const StageArray& array) {
    if (array.layer.value_or(layer) != layer || changed_stage(array, inputs) != stage) return;
    switch (array.use) {
      case ArrayUse::set:
        note += fmt::format(", set to {}", file_words(array));
        return;
      case ArrayUse::add:
        note += fmt::format(", + {}", file_words(array));
        if (array.factor != 1.0) note += fmt::format(" × {}", double_text(array.factor));
        return;
      case ArrayUse::project_out:
        note += fmt::format(", without {}", file_words(array));
    }
  });
  return note;
}

std::vector<ArrayRows> array_rows(const Trace& trace, StageId stage) {
  const Tensor& tensor = trace.tensor(stage);
  const Shape& shape = tensor.shape();
  Shape rows = shape;
  rows[shape.count - 1] = 1;
  std::vector<ArrayRows> found;
  for (const ArrayPlaces& each :
       places_in(trace.request, *trace.inputs, trace.inputs->layer, stage_name(stage), shape)) {
    std::vector<float> chosen(static_cast<std::size_t>(element_count(rows)));
    std::vector<float> numbers(each.array().file.empty() ? 0 : static_cast<std::size_t>(tensor.size()));
    const auto features = static_cast<std::size_t>(shape[shape.count - 1]);
    visit_rows(whole(shape), [&](const Index& at, std::int64_t offset) {
      if (!each.covers(at)) return;
      chosen[static_cast<std::size_t>(offset) / features] = 1;
      const auto to = std::span(numbers).subspan(numbers.empty() ? 0 : static_cast<std::size_t>(offset));
      for (std::size_t d = 0; d < std::min(features, to.size()); ++d) {
        to[d] = static_cast<float>(each.array().factor * each.row(at)[d]);
      }
    });
    found.push_back({each.array(), Tensor::of(rows, tensor.axes(), std::move(chosen)),
                     numbers.empty() ? Tensor() : Tensor::of(shape, tensor.axes(), std::move(numbers))});
  }
  return found;
}

std::string array_words(const StageArray& array) {
  return fmt::format("--{}, {}{}", option_of(array.use), file_words(array),
                     array.factor == 1.0 ? "" : "*" + double_text(array.factor));
}

std::vector<StageId> unlike_arrays(const Request& before, const Inputs& before_inputs, const Request& now,
                                   const Inputs& inputs) {
  std::vector<StageId> unlike;
  const auto acting = [](const Request& request, const Inputs& with, StageId stage) {
    std::vector<std::pair<StageArray, std::string>> found;
    visit_acting(request, [&](const StageArray& array) {
      if (!may_change(array, with.layer, stage_name(stage))) return;
      const OwnArray* own = with.arrays == nullptr ? nullptr : with.arrays->find(array);
      found.emplace_back(array, own == nullptr ? "" : own->sha256);
      found.back().first.layer = {};
    });
    return found;
  };
  for (const StageId stage : all_stages()) {
    if (acting(before, before_inputs, stage) != acting(now, inputs, stage)) unlike.push_back(stage);
  }
  return unlike;
}

}  // namespace headscope
