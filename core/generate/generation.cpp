#include "core/generate/generation.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/generate/appended_token.h"
#include "core/generate/generation_problem.h"
#include "core/generate/growing_text.h"
#include "core/model/checkpoint.h"
#include "core/request/intervention_kinds.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

using Ids = std::vector<std::int64_t>;

std::string piece_of(const Tokenizer* tokenizer, std::int64_t id) {
  return tokenizer == nullptr ? std::to_string(id) : tokenizer->piece_of(id);
}

}  // namespace

std::vector<float> next_logits(const Trace& trace, const CancelToken& cancel) {
  const std::int64_t last = trace.query_len() - 1;
  std::vector<float> logits = logits_at(*trace.model, 0, last, *trace.model->backend, cancel);
  if (can_sample(logits)) return logits;
  throw UsageError("", fmt::format("the logits at position {} are no numbers to choose by", last),
                   "finite ones (a fully masked row, or an infinite number set by hand, gives nan)",
                   "--fully-masked zero gives such rows no weight");
}

std::int64_t cache_bytes(const Architecture& architecture, std::int64_t positions) {
  return positions * 2 * architecture.num_layers * architecture.num_kv_heads * architecture.head_dim *
         static_cast<std::int64_t>(sizeof(float));
}

namespace {

// Switches all arrays of the request off and returns whether any was on.
bool switch_arrays_off(Request& request) {
  bool any = false;
  visit_arrays(request, [&](const auto&, StageArray& array) {
    any = any || array.on;
    array.on = false;
  });
  return any;
}

// A decoder without a text begins with its start token.
Request begun(Engine& engine, const Request& request, const CancelToken& cancel) {
  if (has_decoder_text(request)) return request;
  Request plain = request;  // whose arrays may name places that are still to come
  switch_arrays_off(plain);
  const std::shared_ptr<const Inputs> inputs = engine.read(plain, cancel);
  const auto decoder = inputs->checkpoint->part(Architecture::Part::decoder);
  if (decoder == nullptr || !decoder->start_token()) return request;
  Request with_start = request;
  with_start.decoder_ids = {*decoder->start_token()};
  return with_start;
}

// The request whose arrays act on the places that are there, at every step: they know how many the prompt has.
Request with_prompt_of_arrays(Engine& engine, Request request, const CancelToken& cancel) {
  Request plain = request;
  if (!switch_arrays_off(plain)) return request;
  const std::shared_ptr<const Inputs> inputs = engine.read(plain, cancel);
  const PromptSize prompt{inputs->query_len, inputs->key_len};
  visit_arrays(request, [&](const auto&, StageArray& array) { array.prompt = prompt; });
  return request;
}

}  // namespace

Generation generate(Engine& engine, const Request& asked, const GenerationOptions& options, const CancelToken& cancel,
                    const ShowText& show) {
  if (const std::optional<Problem> problem = generation_problem(asked)) throw ProblemError(*problem);
  const Request request = with_prompt_of_arrays(engine, begun(engine, asked, cancel), cancel);
  const std::shared_ptr<const Inputs> inputs = engine.read(request, cancel);
  if (const auto problem = generation_problem(request, *inputs, options.tokens)) throw ProblemError(*problem);
  const Checkpoint& checkpoint = *inputs->checkpoint;
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  const auto show_part = [&](const std::string& part) {
    if (show && !part.empty()) show(part);
  };

  Generation result;
  result.prompt_ids = inputs->token_ids;
  result.prompt_tokens = inputs->tokens;
  Request grown = with_ids(request, inputs->token_ids);
  Ids& ids = has_decoder_text(request) ? grown.decoder_ids : grown.token_ids;
  GrowingText text(tokenizer);
  for (std::int64_t step = 0; step < options.tokens && !result.ended; ++step) {
    const std::shared_ptr<const Trace> trace = engine.run(grown, cancel);
    result.trace = trace;
    result.cache_positions = trace->query_len();
    if (inputs->encoder != nullptr) result.cache_positions += inputs->encoder->query_len;
    result.cache_bytes = cache_bytes(checkpoint.architecture(), result.cache_positions);
    const double drawn = drawn_number(options.sampling.seed, static_cast<std::uint64_t>(step));
    GeneratedToken token;
    token.sampled = sampled_token(next_logits(*trace, cancel), options.sampling, drawn, options.top_n);
    const std::int64_t id = token.sampled.token.id;
    token.piece = piece_of(tokenizer.get(), id);
    for (const TokenChance& each : token.sampled.top) token.top.push_back(piece_of(tokenizer.get(), each.id));
    result.tokens.push_back(std::move(token));
    ids.push_back(id);
    result.ended = ends_text(checkpoint, id);
    if (!result.ended) show_part(text.add(id));
  }
  show_part(text.rest());
  result.text = text.text();
  return result;
}

}  // namespace headscope
