#include "core/headvis/sequence_ids.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {
namespace {

// Of a text that a tokenizer may refuse.
std::vector<std::int64_t> ids_of_text(const Tokenizer& tokenizer, const std::string& text, bool with_special) {
  std::vector<std::int64_t> ids;
  try {
    const Tokens tokens = tokenizer.tokenize(text);
    for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
      if (with_special || tokens.words[k] >= 0) ids.push_back(tokens.ids[k]);
    }
  } catch (const Error&) {
    return {};
  }
  return ids;
}

bool are_shown_as(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids,
                  const std::vector<std::string>& tokens) {
  if (ids.size() != tokens.size()) return false;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (tokenizer.piece_of(ids[k]) != tokens[k]) return false;
  }
  return true;
}

std::optional<std::int64_t> id_of_token(const Tokenizer& tokenizer, const std::string& token) {
  if (const auto id = tokenizer.id_of(token)) return id;
  if (token.starts_with(' ')) {
    for (const char* blank : {"\u0120", "\u2581"}) {  // byte-level BPE; SentencePiece
      if (const auto id = tokenizer.id_of(blank + token.substr(1))) return id;
    }
  }
  const std::vector<std::int64_t> alone = ids_of_text(tokenizer, token, false);
  const bool known = alone.size() == 1 && alone.front() != tokenizer.special().unknown;
  return known ? std::optional(alone.front()) : std::nullopt;
}

}  // namespace

SequenceIds sequence_ids(const Tokenizer& tokenizer, const std::vector<std::string>& tokens, const std::string& text) {
  for (const bool with_special : {true, false}) {
    std::vector<std::int64_t> ids = ids_of_text(tokenizer, text, with_special);
    if (are_shown_as(tokenizer, ids, tokens)) return {std::move(ids), ""};
  }
  SequenceIds found;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const auto id = id_of_token(tokenizer, tokens[k]);
    if (!id) return {{}, fmt::format("its token {}, {}, is none of the vocabulary", k, in_quotes(tokens[k]))};
    found.ids.push_back(*id);
  }
  return found;
}

}  // namespace headscope
