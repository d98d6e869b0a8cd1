// Facts about the tokens of a model's vocabulary, for the phrase panel. Reads a trace and a tokenizer; draws nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/text/tokenizer.h"

namespace headscope::ui {

// A piece with its blanks made visible: "␣Mary", "⏎".
std::string visible_piece(std::string_view piece);
// "Token 2: byte 1 of 2 of ñ. " of a token that is a byte of a character; "" of another, and of none (-1).
std::string byte_fact(const std::vector<std::string>& tokens, std::int64_t at);

// "byte-level BPE", "WordPiece", "SentencePiece", judged by the pieces of the vocabulary; "words" for one of whole
// words.
std::string vocabulary_kind(const Tokenizer& tokenizer);

struct TokensFact {
  std::string words;                  // "12 tokens, byte-level BPE", "7 tokens · all in vocabulary"
  std::vector<std::int64_t> unknown;  // positions of tokens that the vocabulary does not have, increasing
};
// Without a model the tokens were split on blanks.
TokensFact tokens_fact(const Trace& trace);

// The tokenizer of the trace's model; null without one.
std::shared_ptr<const Tokenizer> tokenizer_of(const Trace& trace);

// Whether the model's tokenizer joins two texts in one sequence.
bool reads_pairs(const Trace& trace);

// The range of every token in the phrase (or in the second one), increasing; tokens of the other phrase and added
// tokens have empty ranges.
std::vector<Range> ranges_in_phrase(const Inputs& inputs, bool second);

// `phrase` with the token at [offset.begin, offset.end) replaced by the model's mask token; "" when the model predicts
// no masked tokens, or has no mask token.
std::string masked_phrase(const Trace& trace, const std::string& phrase, std::int64_t token);

// Words of the vocabulary (of whole words) that begin with the word before the caret; empty when this word is known or
// empty.
std::vector<std::string> word_suggestions(const Tokenizer& tokenizer, std::string_view text, std::size_t caret);

}  // namespace headscope::ui
