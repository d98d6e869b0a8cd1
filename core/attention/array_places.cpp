#include "core/attention/array_places.h"

#include <algorithm>

#include "core/attention/stage_rows.h"
#include "core/base/assert.h"
#include "core/model/own_arrays.h"

namespace headscope {
namespace {

// How many rows the stage had before the text grew; all where it does not grow.
std::int64_t rows_of_prompt(const StageArray& array, const StageAxis& rows, std::int64_t count) {
  if (!array.prompt) return count;
  return rows.size == StageSize::queries ? array.prompt->queries : array.prompt->keys;
}

// The chosen rows. Below 0 they count from the end of what is there; where they are to have one row each of an array,
// and their number would grow with the text, from the end of the prompt.
Range chosen_rows(const StageArray& array, bool row_each, std::int64_t count, std::int64_t prompt) {
  if (!array.places) return {0, row_each ? prompt : count};
  const auto [first, last] = *array.places;
  const bool grows = (first < 0) != (last < 0);
  const std::int64_t end = row_each && grows ? prompt : count;
  const auto place = [end](std::int64_t at) { return at < 0 ? end + at : at; };
  return {place(first), place(last) + 1};
}

}  // namespace

ArrayPlaces::ArrayPlaces(const StageArray& array, const Inputs& inputs, std::string_view stage, const Shape& shape)
    : array_(array), shape_(shape), axes_(named_axes(stage)), row_axis_(row_axis(axes_)) {
  HEADSCOPE_ASSERT(static_cast<int>(axes_.size()) == shape.count, to_string(shape));
  const OwnArray* own = inputs.arrays == nullptr ? nullptr : inputs.arrays->find(array);
  HEADSCOPE_ASSERT(own != nullptr || array.file.empty(), array.file);
  if (own != nullptr) numbers_ = own->numbers;
  counted_ = rows_of_prompt(array, axes_[static_cast<std::size_t>(row_axis_)], rows());
  chosen_ = chosen_rows(array, own != nullptr && numbers_.rank() > 1, rows(), counted_);
  fit_ = own == nullptr ? ArrayFit::number : found_fit();
}

bool ArrayPlaces::is_part(int axis, std::int64_t size) const {
  if (axis == row_axis_) return size == chosen_.size();
  const bool head = axes_[static_cast<std::size_t>(axis)].axis == Axis::head;
  return size == (head && array_.head ? 1 : shape_[axis]);
}

bool ArrayPlaces::is_whole(int axis, std::int64_t size) const {
  return size == (axis == row_axis_ ? counted_ : shape_[axis]);
}

std::optional<ArrayFit> ArrayPlaces::found_fit() const {
  const int rank = numbers_.rank(), last = shape_.count - 1;
  if (rank < 1 || rank > shape_.count || numbers_.dim(rank - 1) != shape_[last]) return {};
  if (rank == 1) return ArrayFit::row;
  if (rank == 2) return numbers_.dim(0) == chosen_.size() ? std::optional(ArrayFit::places) : std::nullopt;
  bool whole = true, part = true;
  for (int back = 2; back <= rank; ++back) {
    whole = whole && is_whole(shape_.count - back, numbers_.dim(rank - back));
    part = part && is_part(shape_.count - back, numbers_.dim(rank - back));
  }
  if (part) return ArrayFit::part;
  return whole ? std::optional(ArrayFit::whole) : std::nullopt;
}

std::vector<Shape> ArrayPlaces::expected() const {
  const std::int64_t features = shape_[shape_.count - 1];
  std::vector<Shape> shapes = {{features}, {chosen_.size(), features}, shape_};
  shapes.back()[row_axis_] = counted_;
  return shapes;
}

bool ArrayPlaces::covers(const Index& at) const {
  for (int axis = 0; axis < at.count && axis < shape_.count - 1; ++axis) {
    const bool head = axes_[static_cast<std::size_t>(axis)].axis == Axis::head;
    if (head && array_.head.value_or(at[axis]) != at[axis]) return false;
  }
  const std::int64_t row = at[row_axis_];
  if (row < chosen_.begin || row >= chosen_.end) return false;
  return fit_ != ArrayFit::whole || row < counted_;
}

std::span<const float> ArrayPlaces::row(const Index& at) const {
  const std::int64_t features = shape_[shape_.count - 1];
  const int rank = numbers_.rank();
  std::int64_t row = 0;
  if (fit_ == ArrayFit::places) row = at[row_axis_] - chosen_.begin;
  if (fit_ == ArrayFit::part || fit_ == ArrayFit::whole) {
    for (int axis = shape_.count - rank; axis < shape_.count - 1; ++axis) {
      const bool head = axes_[static_cast<std::size_t>(axis)].axis == Axis::head;
      std::int64_t place = at[axis];
      if (fit_ == ArrayFit::part && axis == row_axis_) place -= chosen_.begin;
      if (fit_ == ArrayFit::part && head && array_.head) place = 0;
      row = row * numbers_.dim(axis - (shape_.count - rank)) + place;
    }
  }
  return {numbers_.data() + row * features, static_cast<std::size_t>(features)};
}

}  // namespace headscope
