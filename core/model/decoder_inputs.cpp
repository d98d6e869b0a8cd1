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
#include "core/model/text_inputs.h"
#include "core/request/intervention_kinds.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

[[noreturn]] void refuse(const char* option, std::string found, std::string expected) {
  throw UsageError(option, std::move(found), std::move(expected));
}

// Whether a token stands for nothing in the text.
bool is_put_around(const Tokens& tokens, std::size_t at) {
  return tokens.words[at] < 0 && tokens.offsets[at].size() == 0;
}

// The tokens of the text alone.
Tokens without_frame(const Tokens& tokens) {
  Tokens bare;
  std::size_t begin = 0, end = tokens.ids.size();
  while (begin < end && is_put_around(tokens, begin)) ++begin;
  while (end > begin && is_put_around(tokens, end - 1)) --end;
  for (std::size_t k = begin; k < end; ++k) {
    bare.ids.push_back(tokens.ids[k]);
    bare.offsets.push_back(tokens.offsets[k]);
    bare.words.push_back(tokens.words[k]);
  }
  return bare;
}

void put_in_front(std::int64_t start, Tokens& tokens) {
  tokens.ids.insert(tokens.ids.begin(), start);
  tokens.offsets.insert(tokens.offsets.begin(), Range{});
  tokens.words.insert(tokens.words.begin(), -1);
}

bool ends_texts(const Checkpoint& checkpoint, std::int64_t id) {
  const std::vector<std::int64_t>& ends = checkpoint.end_tokens();
  return std::find(ends.begin(), ends.end(), id) != ends.end();
}

// As mBART spells them: "ro_RO", "en_XX", "zh_CN".
bool is_language(const std::string& piece) {
  const auto all = [](const std::string& text, char first, char last) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [&](char letter) { return first <= letter && letter <= last; });
  };
  const std::size_t bar = piece.find('_');
  return (bar == 2 || bar == 3) && piece.size() == bar + 3 && all(piece.substr(0, bar), 'a', 'z') &&
         all(piece.substr(bar + 1), 'A', 'Z');
}

// A text of mBART's decoder begins with its language, which the phrase names first ("ro_RO ...") or else the start
// token is; before a language that the phrase names stands the start token where it is the end of a text (mBART-50).
void settle_language(const Request& request, const Checkpoint& checkpoint, const Tokenizer& tokenizer, Tokens& tokens) {
  tokens = without_frame(tokens);
  const std::optional<std::int64_t>& start = checkpoint.start_token();
  if (!tokens.ids.empty() && start == tokens.ids.front()) return;
  const bool named = !tokens.ids.empty() && is_language(tokenizer.piece_of(tokens.ids.front()));
  if (start && (named ? ends_texts(checkpoint, *start) : is_language(tokenizer.piece_of(*start)))) {
    return put_in_front(*start, tokens);
  }
  if (named) return;
  refuse("decoder-phrase",
         fmt::format("a text of the decoder of {} begins with its language, and this phrase names none", request.model),
         "the language first, such as \"ro_RO ...\", or --decoder-ids");
}

// A phrase that spells the start token itself is taken as it is. Else: without the end of a text, behind the start
// token, which has no place in the text.
void settle_ends(const Checkpoint& checkpoint, std::int64_t start, Tokens& tokens) {
  Tokens bare = without_frame(tokens);
  if (!bare.ids.empty() && bare.ids.front() == start) {
    tokens = std::move(bare);
    return;
  }
  if (!tokens.ids.empty() && ends_texts(checkpoint, tokens.ids.back())) {
    tokens.ids.pop_back();
    tokens.offsets.pop_back();
    tokens.words.pop_back();
  }
  if (tokens.ids.empty() || tokens.ids.front() != start) put_in_front(start, tokens);
}

void read_decoder_phrase(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  const std::string ids = fmt::format("--decoder-ids, ids of its vocabulary of {}", vocabulary);
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  if (tokenizer == nullptr) refuse("decoder-phrase", checkpoint.no_tokenizer_sentence(), ids);
  const bool by_language = checkpoint.architecture().family == "mbart";
  if (!checkpoint.start_token() && !by_language) {
    refuse("decoder-phrase", fmt::format("config.json of {} names no decoder_start_token_id", request.model), ids);
  }
  Tokens tokens = tokenizer->tokenize(*request.decoder_phrase);
  for (const std::int64_t id : tokens.ids) {
    if (0 <= id && id < vocabulary) continue;
    throw Error(
        fmt::format("{}: its tokenizer gives the decoder phrase the id {}, but config.json says a vocabulary "
                    "of {}",
                    request.model, id, vocabulary));
  }
  by_language ? settle_language(request, checkpoint, *tokenizer, tokens)
              : settle_ends(checkpoint, *checkpoint.start_token(), tokens);
  inputs.token_ids = std::move(tokens.ids);
  inputs.offsets = std::move(tokens.offsets);
  inputs.words = std::move(tokens.words);
}

}  // namespace

Request request_of_other_list(const Request& request) {
  Request plain;
  plain.model = request.model;
  plain.phrase = request.phrase;
  plain.second_phrase = request.second_phrase;
  plain.token_ids = request.token_ids;
  plain.features = request.features;
  plain.image = request.image;
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

void check_source(const Request& request, const Architecture& architecture) {
  const bool image = architecture.image.has_value(), features = architecture.features.has_value();
  if (image == !request.image.empty() && features == !request.features.empty()) return;
  const std::string model = fmt::format("{} ({})", request.model, architecture.family);
  const char* given = !request.image.empty()      ? "image"
                      : !request.features.empty() ? "features"
                      : request.token_ids.empty() ? "phrase"
                                                  : "token-ids";
  if (image) {
    throw UsageError(given, model + " reads images",
                     "--image FILE, a PNG or JPEG picture (in the window: open or drop one)");
  }
  if (features) {
    throw UsageError(
        given, model + " reads the features of sounds",
        fmt::format("--features FILE.npy, [{}, {}] (in the window: open or drop one)", architecture.features->bands,
                    architecture.max_positions * FeatureRule::kFramesPerToken));
  }
  throw UsageError(
      given, model + " reads texts",
      request.image.empty() ? "--phrase, or a whisper model" : "--phrase, or a vit, dinov2, clip or siglip model");
}

namespace {

void check_pool(const Request& request, const Checkpoint& checkpoint) {
  if (checkpoint.part(Architecture::Part::pool) == nullptr) {
    refuse("attention", fmt::format("{} has no layer that gathers its patches", request.model),
           "the images of a siglip model that was saved with its head");
  }
  visit_interventions(request, [&](const auto& kind, const auto& list) {
    // Those that take numbers from elsewhere.
    constexpr bool other = requires {
      list.front().stage;
    };
    if (other && any_on(list)) {
      refuse(kind.option.name, "numbers are not put into the layer that gathers patches", "--attention encoder");
    }
  });
}

}  // namespace

void check_decoder_options(const Request& request, const Checkpoint& checkpoint) {
  if (shows_pool(request)) return check_pool(request, checkpoint);
  const Architecture::Part part = checkpoint.architecture().part;
  const bool pooled = checkpoint.part(Architecture::Part::pool) != nullptr;
  if (pooled && request.attention == AttentionList::encoder && !has_decoder_text(request)) return;
  const bool has_decoder = checkpoint.part(Architecture::Part::decoder) != nullptr;
  const char* option = request.decoder_phrase                                ? "decoder-phrase"
                       : !request.decoder_ids.empty()                        ? "decoder-ids"
                       : request.attention == AttentionList::automatic       ? nullptr
                       : part != Architecture::Part::encoder || !has_decoder ? "attention"
                                                                             : nullptr;
  if (option == nullptr) return;
  if (part != Architecture::Part::encoder) {
    refuse(option, fmt::format("{} has no encoder and decoder beside each other", request.model),
           "a model such as T5, BART, Marian or Whisper");
  }
  if (!has_decoder && (has_decoder_text(request) || attention_list(request) != AttentionList::encoder)) {
    refuse(option, fmt::format("{} was saved without its decoder", request.model), "--attention encoder");
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
  if (!request.decoder_phrase) inputs.words = words_of_ids(inputs.token_ids, tokenizer.get());
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
