// What a ScoreRule does to rows of scores and weights, in place, with the bits of score_steps.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/backend/kernels/softmax.h"
#include "core/backend/score_rule.h"
#include "core/request/stage.h"

namespace headscope {

// A row is query i of (batch b, head h); its `cells` are those of `keys`.
class ScoreRows {
 public:
  // Refers to `rule`, which must outlive this.
  explicit ScoreRows(const ScoreRule& rule);

  // From raw_scores to the stage, one of raw_scores ... masked_scores.
  void apply(StageId stage, std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const;

  // When masked scores are only raw * factor in float, -inf where hidden: that factor, which is above 0; else nullopt.
  std::optional<float> factor() const { return factor_; }

  // Sets hidden cells to hidden_score(); changes nothing when hides() is false.
  void hide(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const;
  // Whether cells are hidden before the softmax, and what masked_scores hold there.
  bool hides() const { return hides_; }
  float hidden_score() const { return hidden_score_; }

  // The keys that any of the queries sees before the softmax: begins are multiples of 32, cells outside are hidden.
  KeySpans spans(std::int64_t b, std::int64_t h, Range queries) const;

  // The value of all weights of a fully hidden row when the rule sets one; else nullopt.
  std::optional<float> weight_when_hidden(std::int64_t b, std::int64_t h, std::int64_t i) const;
  // With mask_after_softmax: sets the weights of hidden cells to 0.
  void clear_hidden(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const;

  // The logit that joins the rows of head h; -inf without sinks.
  float sink(std::int64_t h) const;

  // weights * kept / (1 - P).
  void drop(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const;

  std::int64_t key_len() const { return key_len_; }
  const ScoreRule& rule() const { return *rule_; }

 private:
  void set_hidden(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float value, float* cells) const;
  void add(std::int64_t b, std::int64_t h, std::int64_t i, Range keys, float* cells) const;

  const ScoreRule* rule_;
  std::int64_t key_len_;
  bool hides_;
  float hidden_score_;
  std::optional<float> factor_;
};

// All keys.
KeySpans whole_row(std::int64_t key_len);

}  // namespace headscope
