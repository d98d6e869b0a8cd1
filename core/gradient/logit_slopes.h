// A number made of a model's logits, as a backward pass begins with it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headscope {

// A number made of a model's logits, of batch item 0, by its slopes: slope(position, logits, out) puts d number / d
// logit of a position into `out` [vocabulary], which holds zeros; it is asked for each of `positions`.
struct LogitSlopes {
  std::vector<std::int64_t> positions;
  std::function<void(std::int64_t position, std::span<const float> logits, std::span<double> out)> slope;
};

}  // namespace headscope
