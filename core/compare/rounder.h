// Rounds the numbers of a layer: what is given, what is stored, what products are made of, and sums. Internal to
// core/compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/compare/precision_format.h"
#include "core/compare/wide_stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Whether the number at that place in row-major order is rounded at all; empty: every one is.
using IsRounded = std::function<bool(std::size_t place)>;

// Makes every number the nearest of -127 to 127 times the factor of its row (of the last axis) or, `per_channel`, of
// its column (of every index of axis 1 where there are four axes). The factor is the largest size / 127; numbers that
// are not finite, and those that are not rounded, stay and do not count.
void round_to_int8(std::span<double> values, const Shape& shape, bool per_channel, const IsRounded& is_rounded);

class Rounder {
 public:
  explicit Rounder(const Rounding& rounding)
      : format_(rounding.format), parts_(rounding.parts), scaled_(format_ != nullptr && format_->scaled()) {
    const bool each = format_ != nullptr && format_->kind == PrecisionFormat::Kind::each_number;
    given_ = each && parts_.inputs ? format_ : nullptr;
    stored_ = each && parts_.storage ? format_ : nullptr;
    summed_ = parts_.accumulation ? format_ : nullptr;
    operand_ = format_ != nullptr && format_->kind == PrecisionFormat::Kind::operands ? format_ : nullptr;
  }

  // One number; in formats with factors it stays as it is until the whole stage is there.
  double given(double value) const { return given_ != nullptr ? rounded_to(*given_, value) : value; }
  double stored(double value) const { return stored_ != nullptr ? rounded_to(*stored_, value) : value; }
  bool rounds_operands() const { return operand_ != nullptr; }
  double operand(double value) const { return operand_ != nullptr ? rounded_to(*operand_, value) : value; }
  // A sum after one more addition.
  bool rounds_sums() const { return summed_ != nullptr; }
  double summed(double value) const { return summed_ != nullptr ? rounded_to(*summed_, value) : value; }

  // Biases, weights of norms, masks, sinks.
  std::vector<double> given(const Tensor& tensor) const;
  // Vectors or heads that are given, a past, rows of positions.
  WideStage given_stage(const Tensor& tensor) const;
  // The weight [out, in] of a projection: a factor for each row.
  std::vector<double> given_weight(const Tensor& weight) const;
  // A stage whose every number is there and went through stored() where it is made.
  void store(WideStage& stage, const IsRounded& is_rounded = {}) const;

  bool scaled() const { return scaled_; }
  // Whether a number that is no infinity can take the place of what the mask hides.
  bool holds_fills() const { return format_ == nullptr || !parts_.storage || (!scaled_ && format_->has_infinity); }

 private:
  const PrecisionFormat* format_;
  RoundedParts parts_;
  bool scaled_;
  const PrecisionFormat *given_ = nullptr, *stored_ = nullptr, *summed_ = nullptr, *operand_ = nullptr;
};

}  // namespace headscope
