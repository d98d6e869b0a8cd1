// Every step of a layer has one row here, with its counts as formulas of sizes.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/cost/cost_formula.h"
#include "core/cost/cost_size.h"
#include "core/request/stage.h"

namespace headscope {

// What numbers are read from: stages, which are float32, and tensors of weights, which have the width of their file.
enum class CostTensor {
  stage,
  query,
  query_bias,
  key,
  key_bias,
  value,
  value_bias,
  qkv,
  qkv_bias,
  output,
  output_bias,
  query_latent,
  query_latent_bias,
  query_latent_norm,
  key_latent,
  key_latent_bias,
  key_latent_norm,
  query_norm,
  key_norm,
  output_norm,
  output_norm_bias,
  position_key,
  position_key_bias,
  position_query,
  position_query_bias,
};
constexpr std::size_t kCostTensors = 25;

// What is asked of one computed layer before its rows are counted.
struct CostFacts {
  const Trace& trace;
  CostSizes sizes{};
  std::array<double, kCostTensors> bytes{};  // of one number; 0: there is no such tensor
  bool latent = false;                       // queries, keys and values are projected from latents
  bool has(CostTensor tensor) const { return bytes[static_cast<std::size_t>(tensor)] > 0; }
};

// Of a layer that was computed (no_cost_sentence() in layer_cost.h is ""), and whose trace outlives this.
CostFacts cost_facts_of(const Trace& trace);

// Numbers that a step reads from memory or writes there, each once.
struct MovedNumbers {
  CostProduct count;
  CostTensor from = CostTensor::stage;
  // They are those of a stage of the scores' size, between queries and keys and the context: what computes attention in
  // one pass keeps them in its caches.
  bool scores = false;
};

struct CostRow {
  StageId stage{};
  std::string_view step;                                  // "softmax"; "": a part of the next row's
  std::function<bool(const CostFacts& of)> applies = {};  // empty: always, where the trace has the stage
  CostFormula multiply_adds = {};
  CostFormula others = {};  // other floating-point operations, an exp, a tanh, a division or a comparison one each
  std::vector<MovedNumbers> reads = {};
  bool writes = false;      // writes the stage
  CostFormula cached = {};  // numbers that a generation keeps of this step for the tokens to come
};

}  // namespace headscope
