// Questions of views that are answered in the background (latest_work.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/work/latest_work.h"
#include "core/circuits/composition.h"
#include "core/circuits/token_circuits.h"
#include "core/circuits/token_maps.h"
#include "core/circuits/vocabulary_maps.h"
#include "core/compare/comparison.h"
#include "core/explain/attribution.h"
#include "core/explain/logit_lens.h"
#include "core/explain/score_writers.h"
#include "core/explain/sensitivity.h"
#include "core/generate/sampler.h"
#include "core/heads/query_key_scatter.h"
#include "core/heads/text_weights.h"

namespace headscope {

// Compares two complete results: options, tokens, heads, every stage.
struct ComparisonQuery {
  std::shared_ptr<const Trace> a, b;
  friend bool operator==(const ComparisonQuery&, const ComparisonQuery&) = default;
};
using Comparisons = LatestWork<ComparisonQuery, Comparison>;

// The difference A - B of one matrix.
struct DifferenceQuery {
  std::shared_ptr<const Trace> a, b;
  StageId stage{};
  std::int64_t batch = 0, head = 0;
  friend bool operator==(const DifferenceQuery&, const DifferenceQuery&) = default;
};
using Differences = LatestWork<DifferenceQuery, std::optional<MatrixDifference>>;

// The sensitivity of one cell: the numbers that it depends on.
struct SensitivityQuery {
  std::shared_ptr<const Trace> trace;
  StageId stage{};
  Index index;
  friend bool operator==(const SensitivityQuery&, const SensitivityQuery&) = default;
};
using Sensitivities = LatestWork<SensitivityQuery, Sensitivity>;

// What shades the words of a text.
struct TextWeightsQuery {
  std::shared_ptr<const Trace> trace;
  TextWeightsRequest request;
  friend bool operator==(const TextWeightsQuery&, const TextWeightsQuery&) = default;
};
using TextShades = LatestWork<TextWeightsQuery, TextWeights>;

// What a model that was computed whole would say after every layer, after its attention or of each head alone.
struct LensQuery {
  std::shared_ptr<const Trace> trace;
  std::int64_t batch = 0;
  LensOf of = LensOf::layers;
  friend bool operator==(const LensQuery&, const LensQuery&) = default;
};
using Lenses = LatestWork<LensQuery, LogitLens>;

// Who made a logit of it; batch item 0.
struct AttributionQuery {
  std::shared_ptr<const Trace> trace;
  std::int64_t position = 0;
  std::vector<std::int64_t> ids;  // one, or the first less the second
  AttributionBy by = AttributionBy::components;
  bool loss = false;  // of the one token, in place of its logit
  friend bool operator==(const AttributionQuery&, const AttributionQuery&) = default;
};
using Attributions = LatestWork<AttributionQuery, Attribution>;

// Who wrote what a query and a key of the trace's own layer meet in; batch item 0.
struct ScoreQuery {
  std::shared_ptr<const Trace> trace;
  ScoreQuestion question;
  friend bool operator==(const ScoreQuery&, const ScoreQuery&) = default;
};
using Scores = LatestWork<ScoreQuery, ScoreWriters>;

// Which heads of a model read what earlier heads write.
struct CompositionQuery {
  std::shared_ptr<const Checkpoint> checkpoint;
  std::shared_ptr<const Backend> backend;  // computes it
  friend bool operator==(const CompositionQuery&, const CompositionQuery&) = default;
};
using Compositions = LatestWork<CompositionQuery, Composition>;

// What a head does with a token.
struct TokenCircuitQuery {
  std::shared_ptr<const Checkpoint> checkpoint;
  TokenQuestion question;
  friend bool operator==(const TokenCircuitQuery&, const TokenCircuitQuery&) = default;
};
using TokenCircuits = LatestWork<TokenCircuitQuery, TokenCircuit>;

// What it does with the tokens of a chosen set, each with each.
struct TokenMapsQuery {
  std::shared_ptr<const Checkpoint> checkpoint;
  TokenMapsQuestion question;
  friend bool operator==(const TokenMapsQuery&, const TokenMapsQuery&) = default;
};
using TokenMapsWork = LatestWork<TokenMapsQuery, TokenMaps>;

// And with all tokens of the vocabulary.
struct VocabularyMapsQuery {
  std::shared_ptr<const Checkpoint> checkpoint;
  std::shared_ptr<const Backend> backend;  // computes them
  LayerHead place;
  friend bool operator==(const VocabularyMapsQuery&, const VocabularyMapsQuery&) = default;
};
using VocabularyMapsWork = LatestWork<VocabularyMapsQuery, VocabularyMaps>;

// The queries and keys of a head as points of a plane.
struct ScatterQuery {
  std::shared_ptr<const Trace> trace;
  std::int64_t batch = 0, head = 0;
  friend bool operator==(const ScatterQuery&, const ScatterQuery&) = default;
};
using Scatters = LatestWork<ScatterQuery, QueryKeyScatter>;

// Which token follows the text of a whole model's trace, drawn as token `step` of a generation.
struct NextTokenQuery {
  std::shared_ptr<const Trace> trace;
  Sampling sampling;
  std::uint64_t step = 0;
  friend bool operator==(const NextTokenQuery&, const NextTokenQuery&) = default;
};
struct NextToken {
  SampledToken sampled;
  std::vector<std::string> top;  // pieces of sampled.top
  std::string piece;             // of the token
};
using NextTokens = LatestWork<NextTokenQuery, NextToken>;

}  // namespace headscope
