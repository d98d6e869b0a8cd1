// What the phrase panel says of the tokens of a model's vocabulary. Reads a trace and a tokenizer; draws nothing.
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

// "byte-level BPE", "WordPiece", "SentencePiece" by what the vocabulary holds; "words" for one of whole words.
std::string vocabulary_kind(const Tokenizer& tokenizer);

struct TokensFact {
  std::string words;                  // "12 tokens, byte-level BPE", "7 tokens · all in vocabulary"
  std::vector<std::int64_t> unknown;  // positions of what the vocabulary does not have, increasing
};
// Without a model the tokens were split on blanks.
TokensFact tokens_fact(const Trace& trace);

// The tokenizer of the trace's model; null without one.
std::shared_ptr<const Tokenizer> tokenizer_of(const Trace& trace);

// Whether the model's tokenizer joins two texts in one sequence.
bool reads_pairs(const Trace& trace);

// Where every token lies in the phrase, or in the second one, in increasing order; those of the other phrase and those
// that the model added are empty ranges.
std::vector<Range> ranges_in_phrase(const Inputs& inputs, bool second);

// `phrase` with the token at [offset.begin, offset.end) replaced by the model's mask token; "" when the model fills no
// gaps, or has no such token.
std::string masked_phrase(const Trace& trace, const std::string& phrase, std::int64_t token);

// Words that the one before the caret could become, of a vocabulary of whole words; none when the word is known or
// nothing was typed of it.
std::vector<std::string> word_suggestions(const Tokenizer& tokenizer, std::string_view text, std::size_t caret);

}  // namespace headscope::ui
