// The tokenizer that tokenizer.json describes: added tokens, normalizer, pre-tokenizer, model, post-processor, decoder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text/added_tokens.h"
#include "core/text/decoder.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary_model.h"

namespace headscope {

// What is added to the tokens of a text, and how their ranges are trimmed.
struct PostProcessor {
  struct Special {
    std::int64_t id = 0;
    std::string spelling;
  };
  bool trim_offsets = false;     // blanks at the ends of a token are not part of its range
  bool add_prefix_space = true;  // with trim_offsets: the first token's one blank was not in the text
  std::vector<Special> before, after;
  // The pattern for two texts, in order; empty where none is known.
  struct PairPart {
    enum class Of { added, first, second } of = Of::added;
    Special special;  // added
    std::int64_t type = 0;
  };
  std::vector<PairPart> pair;
};

struct TokenizerParts {
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  VocabularyModel model;
  std::vector<AddedToken> added_tokens;
  PostProcessor post_processor;
  Decoder decoder;
  std::string end_of_word_suffix;  // as in BpeModel; not shown
  // Pieces with this id or a larger one have no place in the model's vocabulary: they become the unknown token.
  std::optional<std::int64_t> vocabulary_end;
  SpecialTokens roles;  // `all` is filled in by make_pipeline_tokenizer
};

// tokenize() gives Hugging Face's ids, spellings and ranges, these in bytes; its truncation and padding are left to the
// caller. Invalid bytes of a text count as U+FFFD. Error for texts above 16 MiB.
std::shared_ptr<const Tokenizer> make_pipeline_tokenizer(TokenizerParts parts);

}  // namespace headscope
