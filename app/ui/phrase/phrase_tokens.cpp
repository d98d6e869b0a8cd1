#include "app/ui/phrase/phrase_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/base/grouped_digits.h"
#include "core/model/checkpoint.h"
#include "core/text/byte_alphabet.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostSuggestions = 8;
constexpr std::size_t kLongestWord = 256;  // bytes that a word of a vocabulary may begin with

std::string counted_tokens(std::size_t count) {
  return fmt::format("{} token{}", grouped_digits(static_cast<std::int64_t>(count)), count == 1 ? "" : "s");
}

}  // namespace

std::string visible_piece(std::string_view piece) {
  std::string visible;
  for (const char c : piece) {
    if (c == ' ') {
      visible += "␣";
    } else if (c == '\n') {
      visible += "⏎";
    } else if (c == '\t') {
      visible += "⇥";
    } else {
      visible += c;
    }
  }
  return visible;
}

std::string byte_fact(const std::vector<std::string>& tokens, std::int64_t at) {
  const std::string byte = at < 0 ? "" : byte_words(tokens, static_cast<std::size_t>(at));
  return byte.empty() ? "" : fmt::format("Token {}: {}. ", at, byte);
}

std::string vocabulary_kind(const Tokenizer& tokenizer) {
  if (tokenizer.id_of("Ġ")) return "byte-level BPE";
  if (tokenizer.id_of("##s") || tokenizer.id_of("##e") || tokenizer.id_of("##a")) return "WordPiece";
  if (tokenizer.id_of("▁")) return "SentencePiece";
  return "words";
}

std::shared_ptr<const Tokenizer> tokenizer_of(const Trace& trace) {
  return trace.inputs->checkpoint ? trace.inputs->checkpoint->tokenizer() : nullptr;
}

TokensFact tokens_fact(const Trace& trace) {
  TokensFact fact;
  const Inputs& inputs = *trace.inputs;
  fact.words = counted_tokens(inputs.tokens.size());
  if (trace.model != nullptr && trace.model->capture != nullptr) {
    const bool by_phrase = !trace.request.phrase.empty();
    fact.words += by_phrase                            ? ", named here"
                  : trace.model->capture->named_tokens ? ", named by the file"
                                                       : ", numbered";
    return fact;
  }
  if (!inputs.checkpoint) {
    fact.words += ", split on blanks";
    return fact;
  }
  const auto tokenizer = tokenizer_of(trace);
  if (tokenizer == nullptr) {
    fact.words += ", by id";
    return fact;
  }
  const std::optional<std::int64_t> unknown = tokenizer->special().unknown;
  for (std::size_t i = 0; i < inputs.token_ids.size(); ++i) {
    if (unknown && inputs.token_ids[i] == *unknown) fact.unknown.push_back(static_cast<std::int64_t>(i));
  }
  const std::string kind = vocabulary_kind(*tokenizer);
  if (!fact.unknown.empty()) {
    fact.words += fmt::format(" · {} word{} unknown", fact.unknown.size(), fact.unknown.size() == 1 ? "" : "s");
  } else {
    fact.words += kind == "words" ? " · all in vocabulary" : ", " + kind;
  }
  return fact;
}

bool reads_pairs(const Trace& trace) {
  const auto tokenizer = tokenizer_of(trace);
  return tokenizer != nullptr && tokenizer->knows_pairs();
}

std::vector<Range> ranges_in_phrase(const Inputs& inputs, bool second) {
  std::vector<Range> ranges = inputs.offsets;
  const auto count = static_cast<std::int64_t>(ranges.size());
  const std::int64_t middle = inputs.second_begin > 0 ? std::min(inputs.second_begin, count) : count;
  Range last{0, 0};
  for (std::int64_t i = 0; i < count; ++i) {
    Range& range = ranges[static_cast<std::size_t>(i)];
    if ((i >= middle) != second || range.size() == 0) range = {last.end, last.end};
    last = range;
  }
  return ranges;
}

std::string masked_phrase(const Trace& trace, const std::string& phrase, std::int64_t token) {
  const auto tokenizer = tokenizer_of(trace);
  const auto at = static_cast<std::size_t>(token);
  if (tokenizer == nullptr || token < 0 || at >= trace.inputs->offsets.size()) return "";
  const std::optional<std::int64_t> mask = tokenizer->special().mask;
  if (!mask || trace.inputs->checkpoint->output_head().kind != OutputHead::Kind::masked) return "";
  Range range = trace.inputs->offsets[at];
  const auto length = static_cast<std::int64_t>(phrase.size());
  if (range.begin >= range.end || range.end > length) return "";  // what the model added has no place in the text
  while (range.begin < range.end && phrase[static_cast<std::size_t>(range.begin)] == ' ') ++range.begin;
  return phrase.substr(0, static_cast<std::size_t>(range.begin)) + tokenizer->piece_of(*mask) +
         phrase.substr(static_cast<std::size_t>(range.end));
}

std::vector<std::string> word_suggestions(const Tokenizer& tokenizer, std::string_view text, std::size_t caret) {
  const std::string_view before = text.substr(0, std::min(caret, text.size()));
  const bool inside = caret < text.size() && text[caret] != ' ';
  if (inside) return {};
  const std::size_t blank = before.find_last_of(" \t\n");
  const std::string_view last = blank == std::string_view::npos ? before : before.substr(blank + 1);
  if (last.size() > kLongestWord) return {};
  const std::string word(last);
  const std::optional<std::int64_t> unknown = tokenizer.special().unknown;
  if (word.empty() || !unknown || vocabulary_kind(tokenizer) != "words") return {};
  // As the tokenizer reads it: "The" may be known as "the".
  const std::vector<std::int64_t> ids = tokenizer.tokenize(word).ids;
  if (std::find(ids.begin(), ids.end(), *unknown) == ids.end()) return {};
  return suggestions(tokenizer, before, kMostSuggestions);
}

}  // namespace headscope::ui
