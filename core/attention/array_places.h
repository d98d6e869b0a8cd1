// This says where an array of --set, --add or --project-out lies in a stage. Internal to core/attention.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/interventions.h"
#include "core/request/stage_info.h"
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"

namespace headscope {

// This says which of the array's axes stand for which of the stage's.
enum class ArrayFit {
  number,  // none: one number for all
  row,     // [features]: one row for all chosen places
  places,  // [chosen rows, features]: the same for every batch item and head
  part,    // the last axes of [batch, chosen heads, chosen rows, features], at least all but the batch
  whole,   // the same of the whole stage, of which the chosen places are taken
};

// It holds an array beside a stage of `shape`.
class ArrayPlaces {
 public:
  ArrayPlaces(const StageArray& array, const Inputs& inputs, std::string_view stage, const Shape& shape);

  const StageArray& array() const { return array_; }
  // How it lies there; nullopt: its shape is none that can be.
  const std::optional<ArrayFit>& fit() const { return fit_; }
  // The shapes that can be, the smallest first.
  std::vector<Shape> expected() const;
  // The rows that are chosen, of a text that grows also those that are not there; the last may lie before the first.
  Range chosen() const { return chosen_; }
  std::int64_t rows() const { return shape_[row_axis_]; }

  // Whether it changes the cells whose leading axes have these indices; a last index more does not count.
  bool covers(const Index& at) const;
  // The array's row for them: as many numbers as the stage has features. Of fits other than `number`.
  std::span<const float> row(const Index& at) const;

 private:
  bool is_part(int axis, std::int64_t size) const;
  bool is_whole(int axis, std::int64_t size) const;
  std::optional<ArrayFit> found_fit() const;

  StageArray array_;
  Tensor numbers_;  // empty: a number
  Shape shape_;
  std::vector<StageAxis> axes_;
  int row_axis_ = 0;
  std::int64_t counted_ = 0;  // rows of the stage that a whole array has
  Range chosen_;
  std::optional<ArrayFit> fit_;
};

}  // namespace headscope
