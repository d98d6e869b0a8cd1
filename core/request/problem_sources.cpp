// Where the vectors of a request come from: texts, ids and files that exclude or need each other.
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/base/utf8.h"
#include "core/base/words.h"
#include "core/request/array_file.h"
#include "core/request/mask_terms.h"
#include "core/request/model_kind.h"
#include "core/request/problem_checks.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

bool holds_no_word(const std::string& text) {
  return words_of(text).empty();
}

MaybeProblem text_problem(const char* option, const char* name, const std::string& text) {
  const std::size_t invalid = first_invalid_byte(text);
  if (invalid != std::string::npos) {
    return Problem{option,
                   fmt::format("{} is not UTF-8", name),
                   fmt::format("Byte 0x{:02X} at position {} starts no character. Save the text as UTF-8.",
                               static_cast<unsigned char>(text[invalid]), invalid),
                   {}};
  }
  if (holds_no_word(text))
    return Problem{option, fmt::format("{} holds no token", name), "Type at least one word.", {}};
  return {};
}

// Only a phrase can be taken back by setting another value; files are dropped by leaving their option out.
MaybeProblem both_given(const char* option, const char* other, const char* detail) {
  Problem problem{option, fmt::format("{} and {} exclude each other", option, other), detail, {}};
  if (std::string_view(option) == "phrase") problem.suggestions.push_back({"drop the phrase", "phrase", ""});
  return problem;
}

// An image is all that a model reads.
MaybeProblem image_problem(const Request& r) {
  const char* detail = "A model reads either a text or an image.";
  if (!r.phrase.empty()) return both_given("phrase", "image", detail);
  if (r.second_phrase) return Problem{"second-phrase", "second-phrase and image exclude each other", detail, {}};
  if (!r.token_ids.empty()) return Problem{"token-ids", "token-ids and image exclude each other", detail, {}};
  if (has_decoder_text(r)) {
    const char* option = r.decoder_phrase ? "decoder-phrase" : "decoder-ids";
    return Problem{option, fmt::format("{} and image exclude each other", option), detail, {}};
  }
  return {};
}

// The layer that gathers patches has them of an image alone.
MaybeProblem pool_problem(const Request& r) {
  if (!shows_pool(r) || !r.image.empty()) return {};
  return Problem{"attention",
                 "pool needs an image",
                 "It is the layer that gathers the patches of an image into one vector.",
                 {{"encoder", "attention", "encoder"}}};
}

// The features of a sound are all that an encoder reads.
MaybeProblem features_problem(const Request& r) {
  const char* detail = "A model reads either a text or the features of a sound.";
  if (!r.phrase.empty()) return both_given("phrase", "features", detail);
  for (const auto& [option, given] : {std::pair{"second-phrase", r.second_phrase.has_value()},
                                      {"token-ids", !r.token_ids.empty()},
                                      {"image", !r.image.empty()}}) {
    if (given) return Problem{option, fmt::format("{} and features exclude each other", option), detail, {}};
  }
  return {};
}

// The text of a decoder beside the encoder's.
MaybeProblem decoder_text_problem(const Request& r) {
  if (r.decoder_phrase && !r.decoder_ids.empty()) {
    return Problem{"decoder-ids",
                   "decoder-ids and decoder-phrase exclude each other",
                   "Both say which tokens the decoder reads.",
                   {}};
  }
  if (r.decoder_phrase) return text_problem("decoder-phrase", "the decoder phrase", *r.decoder_phrase);
  if (has_decoder_text(r) || r.attention == AttentionList::automatic || r.attention == AttentionList::encoder) {
    return {};
  }
  return Problem{"attention",
                 fmt::format("{} needs a text of the decoder",
                             r.attention == AttentionList::cross ? "cross-attention" : "the decoder's attention"),
                 "Give decoder-phrase or decoder-ids; without them the encoder alone runs.",
                 {{"encoder", "attention", "encoder"}}};
}

// A checkpoint reads tokens of its own vocabulary.
MaybeProblem checkpoint_source_problem(const Request& r) {
  const char* tokens = "A checkpoint reads a phrase or token-ids; its layers make the vectors.";
  for (const auto& [option, given] : {std::pair{"key-phrase", r.key_phrase.has_value()},
                                      {"input", !r.input.empty()},
                                      {"key-input", !r.key_input.empty()},
                                      {"value-input", !r.value_input.empty()}}) {
    if (given) return Problem{option, fmt::format("{} and a checkpoint exclude each other", option), tokens, {}};
  }
  if (!r.features.empty()) {
    if (MaybeProblem problem = features_problem(r)) return problem;
    if (MaybeProblem problem = pool_problem(r)) return problem;
    return decoder_text_problem(r);
  }
  if (!r.image.empty()) return image_problem(r);
  if (MaybeProblem problem = pool_problem(r)) return problem;
  if (MaybeProblem problem = decoder_text_problem(r)) return problem;
  if (r.token_ids.empty()) {
    if (MaybeProblem problem = text_problem("phrase", "the phrase", r.phrase)) return problem;
    return r.second_phrase ? text_problem("second-phrase", "the second phrase", *r.second_phrase) : MaybeProblem();
  }
  if (r.second_phrase) {
    return Problem{"second-phrase",
                   "second-phrase and token-ids exclude each other",
                   "The ids are the whole sequence, separators and all.",
                   {}};
  }
  if (r.phrase.empty()) return {};
  return Problem{"token-ids",
                 "token-ids and phrase exclude each other",
                 "Both say which tokens the model reads.",
                 {{"drop the phrase", "phrase", ""}}};
}

// Packed texts lie one behind the other, so that whatever counts from the first or the last key means another key.
MaybeProblem packed_problem(const Request& r) {
  if (r.layout == HeadsLayout::thd && r.lengths.empty()) {
    return Problem{"lengths",
                   "lengths is missing",
                   "Packed arrays do not say where a text ends: give the length of each, such as 7,3,5.",
                   {}};
  }
  if (r.lengths.empty()) return {};
  for (const MaskTerm& term : r.mask) {
    if (term.kind != MaskTerm::Kind::padding && term.kind != MaskTerm::Kind::prefix) continue;
    return Problem{"mask",
                   fmt::format("{} and lengths exclude each other", spelled(term)),
                   "It counts the keys of one text, and packed texts lie one behind the other. Packed texts have no "
                   "padding; give other masks as a file [sum of the lengths, sum of the lengths].",
                   {{"none", "mask", "none"}}};
  }
  for (const auto& [option, given] : {std::pair{"past", r.past > 0}, {"key-past", !r.key_past.empty()}}) {
    if (!given) continue;
    return Problem{option,
                   fmt::format("{} and lengths exclude each other", option),
                   "The queries of every packed text begin at its own first key.",
                   {}};
  }
  return {};
}

// Attention alone takes query, key and value from files and nothing else.
MaybeProblem attention_alone_problem(const Request& r) {
  if (MaybeProblem problem = packed_problem(r)) return problem;
  const bool all_in_query = names_arrays(r.query);
  for (const auto& [option, path] : {std::pair{"query", &r.query}, {"key", &r.key}, {"value", &r.value}}) {
    if (path->empty() && !all_in_query) {
      return Problem{
          option,
          fmt::format("{} is missing", option),
          "Attention alone needs query, key and value, each a file [batch, heads, len, head_dim], or a query "
          "that is a .npz, .safetensors or .pt file of all three.",
          {}};
    }
  }
  const char* detail = "Attention alone starts from query, key and value; it reads no phrase, input or weights.";
  if (!r.phrase.empty()) return both_given("phrase", "query", detail);
  if (r.key_phrase) return Problem{"key-phrase", "key-phrase and key exclude each other", detail, {}};
  if (!r.token_ids.empty()) return Problem{"token-ids", "token-ids and query exclude each other", detail, {}};
  if (!r.input.empty()) return both_given("input", "query", detail);
  if (!r.key_input.empty()) return both_given("key-input", "key", detail);
  if (!r.value_input.empty()) return both_given("value-input", "value", detail);
  if (!r.weights.empty()) return both_given("weights", "query", detail);
  if (r.input_dim) return Problem{"input-dim", "attention alone has no input", detail, {}};
  return {};
}

// Keys and values that stand before the others come together, and not before those of a model's own text.
MaybeProblem past_problem(const Request& r) {
  if (r.key_past.empty() && r.value_past.empty()) return {};
  if (r.key_past.empty() || r.value_past.empty()) {
    const auto [given, missing] =
        r.key_past.empty() ? std::pair{"value-past", "key-past"} : std::pair{"key-past", "value-past"};
    return Problem{missing,
                   fmt::format("{} without {}", given, missing),
                   "Every key of the past has its value: give both files, [batch, kv_heads, past_len, head_dim].",
                   {}};
  }
  if (!runs_capture(r) && !runs_checkpoint(r)) return {};
  return Problem{"key-past",
                 fmt::format("key-past and a {} exclude each other", runs_capture(r) ? "capture" : "checkpoint"),
                 "The past is joined before the keys of one layer, or of query, key and value.",
                 {{"a seeded layer", "model", "seeded"}}};
}

// Sources of a layer that projects vectors and contradict each other.
MaybeProblem layer_source_problem(const Request& r) {
  const char* one_source = "The queries come either from words or from a file of vectors.";
  if (!r.phrase.empty() && !r.input.empty()) return both_given("phrase", "input", one_source);
  if (!r.token_ids.empty()) {
    const char* option = "token-ids";
    if (!r.phrase.empty()) return Problem{option, "token-ids and phrase exclude each other", one_source, {}};
    return Problem{option,
                   "token-ids need a model with a vocabulary",
                   "Seeded weights and single layers know words, not ids. Use phrase or input, or name a model.",
                   {}};
  }
  if (r.key_phrase && !r.input.empty()) {
    return Problem{"key-phrase",
                   "key-phrase and input exclude each other",
                   "With vectors from a file the keys come from a file too: use key-input.",
                   {}};
  }
  if (r.key_phrase && !r.key_input.empty()) {
    return Problem{"key-phrase",
                   "key-phrase and key-input exclude each other",
                   "The keys and values come either from words or from a file of vectors.",
                   {}};
  }
  if (!r.value_input.empty() && r.key_input.empty()) {
    return Problem{"value-input",
                   "value-input without key-input",
                   "Values belong to keys: give key-input too, of the same length.",
                   {}};
  }
  if (!r.key_input.empty() && !r.phrase.empty()) {
    return Problem{"key-input",
                   "key-input and phrase exclude each other",
                   "With vectors from a file the queries come from a file too: use input.",
                   {}};
  }
  return {};
}

}  // namespace

std::optional<Problem> decoder_problem(const Request& r, const char* model) {
  for (const auto& [option, given] : {std::pair{"decoder-phrase", r.decoder_phrase.has_value()},
                                      {"decoder-ids", !r.decoder_ids.empty()},
                                      {"attention", r.attention != AttentionList::automatic}}) {
    if (!given) continue;
    return Problem{option,
                   fmt::format("{} needs a model with an encoder and a decoder", option),
                   fmt::format("This is {}. Open a checkpoint such as T5, BART, Marian or Whisper.", model),
                   {}};
  }
  return {};
}

std::optional<Problem> source_problem(const Request& r) {
  if (r.second_phrase && !runs_checkpoint(r)) {
    return Problem{"second-phrase",
                   "second-phrase needs a model that reads pairs",
                   "Only a checkpoint's tokenizer joins two texts; keys from another text are key-phrase.",
                   {}};
  }
  if (!r.image.empty() && !runs_checkpoint(r)) {
    return Problem{"image",
                   "image needs a model that reads images",
                   "Name a folder of a vit, dinov2, clip or siglip model; words and vectors have no pixels.",
                   {}};
  }
  if (!r.features.empty() && !runs_checkpoint(r)) {
    return Problem{"features",
                   "features need a model that reads them",
                   "Name a folder of a Whisper model; words and vectors make no sound.",
                   {}};
  }
  if (!runs_checkpoint(r) && !runs_capture(r)) {
    if (MaybeProblem problem = decoder_problem(r, "one layer")) return problem;
  }
  if (MaybeProblem problem = past_problem(r)) return problem;
  if (is_attention_alone(r)) return attention_alone_problem(r);
  if (runs_capture(r)) return {};
  if (runs_checkpoint(r)) return checkpoint_source_problem(r);
  if (MaybeProblem problem = layer_source_problem(r)) return problem;
  if (r.input.empty()) {
    if (MaybeProblem problem = text_problem("phrase", "the phrase", r.phrase)) return problem;
  }
  if (r.key_phrase) return text_problem("key-phrase", "the key phrase", *r.key_phrase);
  return {};
}

}  // namespace headscope
