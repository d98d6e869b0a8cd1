// The weights of a model that a picture depends on, by their SHA-256.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

struct UsedWeights {
  std::int64_t layers = 0;   // of the model, from the first on: up to the shown one, or all
  bool whole = false;        // also what acts after the shown layer's attention: MLP, layers behind it, output head
  std::string sha256;        // of these, of embeddings without words, and of an encoder beside them
  std::string words_sha256;  // of the vectors of the text's tokens; "" where there are none
};

// Experts count where those of the layers are at most so many numbers together.
inline constexpr std::int64_t kMostExpertNumbers = std::int64_t{1} << 30;

// Of the trace's model, before interventions. `whole`: of a picture of the whole model, else of the shown layer. Reads
// these weights once more, on as many threads as the request names: of a large model that takes longer than a short
// text. nullopt where the trace is of no checkpoint. Throws Cancelled.
std::optional<UsedWeights> used_weights(const Trace& trace, bool whole, const CancelToken& cancel);

// What `sha256` is now of as many layers as `as` has, and what `words_sha256` is, of a trace of a checkpoint.
std::string used_hash(const Trace& trace, const UsedWeights& as, const CancelToken& cancel);
std::string words_hash(const Trace& trace, const CancelToken& cancel);

}  // namespace headscope
