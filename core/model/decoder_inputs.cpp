#include "core/model/decoder_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/request/intervention_kinds.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

[[noreturn]] void refuse(const char* option, std::string found, std::string expected) {
  throw UsageError(option, std::move(found), std::move(expected));
}

// Without the end of a text, with the start token, which has no place in the text.
void settle_ends(const Checkpoint& checkpoint, std::int64_t start, Inputs& inputs) {
  std::vector<std::int64_t>& ids = inputs.token_ids;
  const std::vector<std::int64_t>& ends = checkpoint.end_tokens();
  if (!ids.empty() && std::find(ends.begin(), ends.end(), ids.back()) != ends.end()) ids.pop_back();
  inputs.offsets.resize(ids.size());
  inputs.words.resize(ids.size(), -1);
  if (!ids.empty() && ids.front() == start) return;
  ids.insert(ids.begin(), start);
  inputs.offsets.insert(inputs.offsets.begin(), Range{});
  inputs.words.insert(inputs.words.begin(), -1);
}

void read_decoder_phrase(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  const std::string ids = fmt::format("--decoder-ids, ids of its vocabulary of {}", vocabulary);
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  if (tokenizer == nullptr) refuse("decoder-phrase", fmt::format("{} has no tokenizer", request.model), ids);
  if (checkpoint.architecture().family == "mbart") {
    refuse(
        "decoder-phrase",
        fmt::format("a text of the decoder of {} begins with a language, which a phrase does not say", request.model),
        ids);
  }
  if (!checkpoint.start_token()) {
    refuse("decoder-phrase", fmt::format("config.json of {} names no decoder_start_token_id", request.model), ids);
  }
  Tokens tokens = tokenizer->tokenize(*request.decoder_phrase);
  inputs.token_ids = std::move(tokens.ids);
  inputs.offsets = std::move(tokens.offsets);
  inputs.words = std::move(tokens.words);
  for (const std::int64_t id : inputs.token_ids) {
    if (0 <= id && id < vocabulary) continue;
    throw Error(
        fmt::format("{}: its tokenizer gives the decoder phrase the id {}, but config.json says a vocabulary "
                    "of {}",
                    request.model, id, vocabulary));
  }
  settle_ends(checkpoint, *checkpoint.start_token(), inputs);
}

}  // namespace

Request request_of_other_list(const Request& request) {
  Request plain;
  plain.model = request.model;
  plain.phrase = request.phrase;
  plain.second_phrase = request.second_phrase;
  plain.token_ids = request.token_ids;
  plain.decoder_phrase = request.decoder_phrase;
  plain.decoder_ids = request.decoder_ids;
  plain.attention = request.attention;
  plain.batch = request.batch;
  plain.backend = request.backend;
  plain.threads = request.threads;
  return plain;
}

Request request_of_encoder(const Request& request) {
  Request plain = request_of_other_list(request);
  plain.attention = AttentionList::encoder;
  return plain;
}

void check_decoder_options(const Request& request, const Checkpoint& checkpoint) {
  const Architecture::Part part = checkpoint.architecture().part;
  const bool has_decoder = checkpoint.part(Architecture::Part::decoder) != nullptr;
  const char* option = request.decoder_phrase                                ? "decoder-phrase"
                       : !request.decoder_ids.empty()                        ? "decoder-ids"
                       : request.attention == AttentionList::automatic       ? nullptr
                       : part != Architecture::Part::encoder || !has_decoder ? "attention"
                                                                             : nullptr;
  if (option == nullptr) return;
  if (part != Architecture::Part::encoder) {
    refuse(option, fmt::format("{} has no encoder and decoder beside each other", request.model),
           "a model such as T5, BART or Marian");
  }
  if (!has_decoder && (has_decoder_text(request) || attention_list(request) != AttentionList::encoder)) {
    refuse(option, fmt::format("{} was saved without its decoder", request.model), "--attention encoder");
  }
  if (!shows_decoder(request)) return;
  if (any_on(request.patches)) {
    refuse("patch", "numbers are not put into the layers of a decoder that has an encoder beside it",
           "--attention encoder");
  }
}

void read_decoder_text(const Request& request, Inputs& inputs) {
  const Checkpoint& checkpoint = *inputs.checkpoint;
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  if (request.decoder_phrase) {
    read_decoder_phrase(request, checkpoint, inputs);
  } else {
    inputs.token_ids = request.decoder_ids;
  }
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  for (const std::int64_t id : inputs.token_ids) {
    if (id < 0 || id >= vocabulary) {
      refuse("decoder-ids", fmt::format("{} is not in the vocabulary of {}", id, request.model),
             fmt::format("ids from 0 to {}", vocabulary - 1));
    }
    inputs.tokens.push_back(tokenizer == nullptr ? std::to_string(id) : tokenizer->piece_of(id));
  }
}

void attend_to(const Inputs& encoder, Inputs& inputs) {
  inputs.key_tokens = encoder.tokens;
  inputs.key_offsets = encoder.offsets;
  inputs.key_len = encoder.query_len;
  inputs.key_x = inputs.value_x = Tensor::computed(
      {inputs.batch, encoder.query_len, encoder.d_model}, {Axis::batch, Axis::position, Axis::feature},
      [](const Region&, std::span<float>) { HEADSCOPE_ASSERT(false, "what an encoder gives that has not run"); });
}

}  // namespace headscope
