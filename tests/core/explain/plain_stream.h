// A model's residual stream by its definition, in plain loops of double: every part is a vector that is carried forward
// through each norm, held at the mean and scale of the sum of all parts. Only the weights of the checkpoint, and the
// context, weights and values of attention come from the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"

namespace headscope {

struct PlainPart {
  std::string name;
  std::int64_t layer = -1, head = -1, key = -1;  // -1: none
  std::vector<double> vector;
};

struct PlainLogit {
  std::vector<PlainPart> parts;
  std::vector<double> values;  // of each part
  double sum = 0;
};

// The logit of a token at a position, of parts that are heads, or heads by key (sources).
PlainLogit plain_logit(const ModelTrace& model, std::int64_t position, std::int64_t id, bool sources);

}  // namespace headscope
