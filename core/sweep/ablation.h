// Numbers that no other run gives: zeros, or the mean of a part, in place of what a part of the model computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/sweep/sweep_patch.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Whether a stage, as patches name it, has a mean over positions: not one whose columns are keys.
bool has_mean(const std::string& stage);

// The means of stages over all positions of one run or several: mean[h, d] = sum over runs and positions i of
// stage[0, h, i, d] / their number. Of a batch, whose items hold the same text, the first is taken.
class StageMeans {
 public:
  // Adds the positions of a stage of a layer: [batch, heads, positions, features] or [batch, positions, features].
  void add(std::int64_t layer, const std::string& stage, const Tensor& numbers);
  // A tensor like `numbers` that holds the means; asserts that add() had the stage with these heads and features.
  Tensor filled(std::int64_t layer, const std::string& stage, const Tensor& numbers) const;

 private:
  struct Mean {
    std::vector<double> sum;  // [heads * features]
    std::int64_t positions = 0;
  };
  std::map<std::pair<std::int64_t, std::string>, Mean> means_;
};

}  // namespace headscope
