// A text that a model goes on with, a token at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/generate/sampler.h"
#include "core/model/architecture.h"
#include "core/request/request.h"

namespace headscope {

struct GenerationOptions {
  std::int64_t tokens = 1;  // at most so many are appended
  Sampling sampling;
  std::int64_t top_n = 5;  // most probable tokens that a step lists
};

struct GeneratedToken {
  std::string piece;             // as shown: " Mary"; the id where the model has no tokenizer
  SampledToken sampled;          // by drawn_number(seed, step)
  std::vector<std::string> top;  // pieces of sampled.top
};

struct Generation {
  std::vector<std::int64_t> prompt_ids;
  std::vector<std::string> prompt_tokens;  // as shown
  std::vector<GeneratedToken> tokens;      // what was appended, an end token too
  std::string text;                        // of these, without the end token
  bool ended = false;                      // the last token is one with which the model ends a text
  // Keys and values from which the last token was computed: those of the prompt and of every token before it, and their
  // bytes in float32: positions * 2 * num_layers * num_kv_heads * head_dim * 4. Of a decoder beside an encoder also
  // those of the encoder's tokens, which its cross-attention reads.
  std::int64_t cache_positions = 0, cache_bytes = 0;
  std::shared_ptr<const Trace> trace;  // of the last step; null where there was none
};

// The logits after the last token of a whole model's trace, [vocabulary]. UsageError when they are no numbers to choose
// by. Throws Cancelled.
std::vector<float> next_logits(const Trace& trace, const CancelToken& cancel);

// Of keys and values of so many positions: see Generation::cache_bytes.
std::int64_t cache_bytes(const Architecture& architecture, std::int64_t positions);

// Gets each part of the text when it is settled (growing_text.h), and the rest at the end; never an empty part.
using ShowText = std::function<void(std::string_view)>;

// Appends tokens to the text of `asked` (of a model with an encoder and a decoder: the decoder's, which begins with
// its start token where none is given) until there are options.tokens, or the model ends the text by a token that
// its config.json (eos_token_id) or its tokenizer names. Step n runs the request, interventions and all, on the prompt
// and the n tokens before, and draws by the logits of the last position: the ids are those of as many single runs, on
// any number of threads. The engine computes whole models (EngineOptions::whole_model); with `reuse` a step of a
// request without interventions computes its own rows. Throws ProblemError for what generation_problem() says,
// UsageError when logits are no numbers, and as Engine::run.
Generation generate(Engine& engine, const Request& asked, const GenerationOptions& options, const CancelToken& cancel,
                    const ShowText& show = {});

}  // namespace headscope
