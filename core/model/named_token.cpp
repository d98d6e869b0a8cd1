#include "core/model/named_token.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr std::size_t kMostDigits = 12;
constexpr std::size_t kShownPieces = 6;

// The tokens of a text without those that are added around it.
struct OwnTokens {
  std::vector<std::int64_t> ids;
  std::vector<Range> ranges;  // in bytes of the text
};

OwnTokens own_tokens(const Tokenizer& tokenizer, std::string_view text) {
  const Tokens tokens = tokenizer.tokenize(text);
  OwnTokens own;
  for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
    if (tokens.offsets[k].size() == 0) continue;
    own.ids.push_back(tokens.ids[k]);
    own.ranges.push_back(tokens.offsets[k]);
  }
  return own;
}

// The one token that a text is, but for blanks around it. The token of what is unknown stands for no text, and letters
// that the vocabulary cannot spell may have been left out.
std::optional<std::int64_t> one_token(const Tokenizer& tokenizer, std::string_view text) {
  const OwnTokens own = own_tokens(tokenizer, text);
  if (own.ids.size() != 1 || own.ids[0] == tokenizer.special().unknown) return std::nullopt;
  const auto begin = static_cast<std::size_t>(own.ranges[0].begin), end = static_cast<std::size_t>(own.ranges[0].end);
  const bool whole = text.find_first_not_of(" \t\n") >= begin && text.find_first_not_of(" \t\n", end) == text.npos;
  return whole ? std::optional(own.ids[0]) : std::nullopt;
}

[[noreturn]] void refuse(const Checkpoint& checkpoint, const std::string& option, std::string_view text) {
  const Tokenizer& tokenizer = *checkpoint.tokenizer();
  const std::vector<std::int64_t> ids = own_tokens(tokenizer, text).ids;
  std::string pieces;
  for (std::size_t k = 0; k < ids.size() && k < kShownPieces; ++k) {
    pieces += (k == 0 ? "" : ", ") + fmt::format("'{}'", tokenizer.piece_of(ids[k]));
  }
  if (ids.size() > kShownPieces) pieces += " ...";
  const std::string expected = "one token of its vocabulary, or an id (headscope-cli tokenize says both)";
  if (ids.size() > 1) {
    throw UsageError(option, fmt::format("'{}' is {} tokens of {}: {}", text, ids.size(), checkpoint.path(), pieces),
                     expected);
  }
  throw UsageError(option, fmt::format("'{}' is no token of {}", text, checkpoint.path()), expected);
}

}  // namespace

std::int64_t named_token(const Checkpoint& checkpoint, const std::string& option, std::string_view text) {
  if (checkpoint.architecture().image || checkpoint.architecture().part == Architecture::Part::pool) {
    throw UsageError("model", fmt::format("{} {}", checkpoint.path(), checkpoint.why_no_head()),
                     "a model that reads texts");
  }
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  const auto checked = [&](std::int64_t id) {
    if (0 <= id && id < vocabulary) return id;
    throw UsageError(option, fmt::format("{} is not in the vocabulary of {}", text, checkpoint.path()),
                     fmt::format("ids from 0 to {}", vocabulary - 1));
  };
  if (text.empty()) throw UsageError(option, "found ''", "the text of a token, or an id");
  if (text.find_first_not_of("0123456789") == text.npos) {
    return checked(text.size() > kMostDigits ? vocabulary : std::stoll(std::string(text)));
  }
  const auto tokenizer = checkpoint.tokenizer();
  if (tokenizer == nullptr) {
    throw UsageError(option, fmt::format("found '{}', but {}", text, checkpoint.no_tokenizer_sentence()),
                     fmt::format("ids of its vocabulary, from 0 to {}", vocabulary - 1));
  }
  if (const auto id = one_token(*tokenizer, text)) return checked(*id);
  if (const auto id = tokenizer->id_of(text)) return checked(*id);
  if (const auto id = one_token(*tokenizer, " " + std::string(text))) return checked(*id);
  refuse(checkpoint, option, text);
}

std::string token_piece(const Checkpoint& checkpoint, std::int64_t id) {
  const auto tokenizer = checkpoint.tokenizer();
  return tokenizer == nullptr ? std::to_string(id) : tokenizer->piece_of(id);
}

}  // namespace headscope
