// What is known of every stage before any request: one row a stage. Plain data; nothing here reads a tensor.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/request/cell_formula.h"
#include "core/request/request.h"
#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

// The size along an axis, as a symbol; core/attention/stage_shape.cpp gives the number for one request.
enum class StageSize {
  batch,
  queries,          // query_len
  key_tokens,       // key_len, without the key of bias_k
  keys,             // key_len, and the key of bias_k where there is one
  heads,            // num_heads
  kv_heads,         // num_kv_heads
  head_dim,         // features of one head of query and key
  value_head_dim,   // features of one head of value and context
  head_qkv,         // 3 * head_dim: query, key and value of one head
  input_dim,        // features of x
  key_input_dim,    // features of the keys' vectors in cross-attention
  value_input_dim,  // features of the values' vectors in cross-attention
  qkv_rows,         // rows of the fused projection
  query_features,   // num_heads * head_dim
  key_features,     // num_kv_heads * head_dim
  value_features,   // num_kv_heads * value_head_dim
  concat_features,  // num_heads * value_head_dim
  output_rows,      // rows of the output projection
};

struct StageAxis {
  Axis axis{};
  StageSize size{};
};

// Which requests have a stage.
enum class StageWhen {
  always,
  vectors,    // those that project vectors: all but attention alone
  cross,      // those whose keys come from other vectors
  fused,      // self-attention with one projection for query, key and value
  per_head,   // the same, where its rows are [q_h k_h v_h] of every head
  projected,  // those that project, but not per head
  c2p,        // layers whose queries meet keys of relative positions
  p2c,        // layers whose keys meet queries of relative positions
  softcap,
  dropout,
  captured,     // captures that hold weights and what they can be computed from
  output,       // those that have an output projection
  output_norm,  // layers of models that normalise what attention gives
  sinks,        // layers whose heads have a learned sink, but for softmax-over-queries
};

// The card of the pipeline strip. Stages that follow each other with the same card share it; `own` is shared by none.
enum class StageCard { own, inputs, fused, projections, heads };

// Numbers of either sign around zero, or from zero up: which kind of colour map draws them.
enum class StageColors { diverging, sequential };

// The range of the colours: found in the numbers, or known.
enum class StageRange { by_numbers, zero_to_one };

// Values that come from files, seeds and phrases, not from options alone.
enum class Source {
  query_input,   // x, or the queries of attention alone
  key_input,     // keys' vectors of cross-attention, or the keys of attention alone
  value_input,   // values' vectors likewise
  projection,    // the weights and biases of query, key and value, bias_k and bias_v among them
  head_rule,     // what a model does to the heads of queries and keys: norm, rotary positions
  output,        // the weight and bias of the output projection
  output_norm,   // the norm after it
  sinks,         // the learned sinks of the heads
  mask,          // which cells are hidden, and what is added
  dropout_mask,  // of --dropout-mask
  capture,       // weights that a capture holds
};

// How a picture of it looks unless the view says otherwise.
struct StagePictureDefaults {
  std::string_view noun;  // what one of its numbers is called: "weight"
  StageColors colors;
  StageRange range;
};

// What takes part in computing it.
struct StageMaking {
  // Of each list the first stage that the trace has. Empty for what is given.
  std::vector<std::vector<StageId>> from = {};
  std::vector<Source> sources = {};
  std::vector<std::string_view> options = {};  // as REQUEST spells them, without --; interventions: their kinds say it
  std::vector<Variant> variants = {};          // known mistakes that change this step
};

// Arithmetic of its own, number by number: sources have the axes of the stage. What computes the stage stands in
// core/attention; everything that explains, derives or writes it follows from this.
struct StageFormula {
  std::string_view step;      // its name in explanations and scripts: "softcap"
  std::string_view sentence;  // of documents: "A soft cap on their size."
  CellFormula value;          // of the cells of StageMaking::from, in its order
};

struct StageInfo {
  StageId id;
  std::string_view name;        // as in files, options and on screen: "masked_scores"
  std::string_view letters;     // its axes in formulas: "b,h,i,j"
  std::vector<StageAxis> axes;  // slowest first, columns last
  StageWhen when;
  StageCard card;
  StagePictureDefaults picture;
  StageMaking made;
  // The same numbers as those of its one source, with the same axes in another order.
  bool moves = false;
  // Where positions come before heads: the stage that holds the same numbers with a matrix for each head.
  std::optional<StageId> by_heads = {};
  std::optional<StageFormula> formula = {};
  // Its numbers lie in memory of their own, counted by its axes (memory.h). The others are views, of the scores' size,
  // or counted with what they are projected from.
  bool stored = false;
};

// One row a stage, in the order of StageId.
const std::vector<StageInfo>& stage_infos();

// The row of the stage.
const StageInfo& stage_info(StageId stage);

// The stage itself, or the one that shows the same numbers head by head.
StageId shown_by_heads(StageId stage);

}  // namespace headscope
