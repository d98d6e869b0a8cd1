#include "core/heads/look_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/request/stage.h"
#include "core/text/byte_alphabet.h"

namespace headscope {
namespace {

std::string share_words(double weight) {
  if (!std::isfinite(weight)) return "a weight that is no finite number";
  const double percent = 100 * weight;
  if (percent > 0 && percent < 1) return "less than 1 %";
  return fmt::format("{:.0f} %", percent);
}

// How often the letters of the query's token stand before it.
std::ptrdiff_t earlier_same(const std::vector<std::string>& tokens, std::int64_t query) {
  return std::count(tokens.begin(), tokens.begin() + query, tokens[static_cast<std::size_t>(query)]);
}

using Role = LookPiece::Role;

// What stands behind the share. Of two texts no fact is said: the key is none of these tokens then.
void add_fact(std::vector<LookPiece>& pieces, LookFact fact, const std::vector<std::string>& tokens, std::int64_t query,
              std::int64_t key) {
  const auto name = [&](std::int64_t at) { return without_blanks(tokens[static_cast<std::size_t>(at)]); };
  switch (fact) {
    case LookFact::after_same:
      pieces.push_back({Role::words, "; ", -1});
      pieces.push_back({Role::key, name(key), key});
      pieces.push_back({Role::words,
                        fmt::format(" stood right after {} earlier ", earlier_same(tokens, query) == 1 ? "the" : "an"),
                        -1});
      pieces.push_back({Role::earlier, name(query), key - 1});
      return;
    case LookFact::before:
      pieces.push_back({Role::words, "; that is the token before it", -1});
      return;
    case LookFact::first:
      pieces.push_back({Role::words, "; that is the first token", -1});
      return;
    case LookFact::itself:
    case LookFact::none:
      return;
  }
}

}  // namespace

std::string without_blanks(const std::string& token) {
  const std::size_t first = token.find_first_not_of(" \n\t"), last = token.find_last_not_of(" \n\t");
  return first == std::string::npos ? "a blank" : token.substr(first, last - first + 1);
}

LookFact look_fact(const std::vector<std::string>& tokens, std::int64_t query, std::int64_t key) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (query < 0 || key < 0 || query >= count || key >= count) return LookFact::none;
  if (key == query) return LookFact::itself;
  const auto at = [&](std::int64_t place) -> const std::string& { return tokens[static_cast<std::size_t>(place)]; };
  if (key > 0 && key - 1 < query && at(key - 1) == at(query)) return LookFact::after_same;
  if (key == query - 1) return LookFact::before;
  return key == 0 ? LookFact::first : LookFact::none;
}

std::vector<LookPiece> look_pieces(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query,
                                   std::int64_t key) {
  const Stage* weights = trace.find(StageId::weights);
  if (weights == nullptr) return {};
  const Tensor& tensor = weights->tensor;
  const std::int64_t place[] = {batch, head, query, key};
  for (int axis = 0; axis < 4; ++axis) {
    if (place[axis] < 0 || place[axis] >= tensor.dim(axis)) return {};
  }
  const std::vector<std::string> rows = trace.query_labels(), columns = trace.key_labels();
  const auto named = [](Role role, const std::vector<std::string>& labels, std::int64_t at) -> LookPiece {
    const auto place = static_cast<std::size_t>(at);
    if (place >= labels.size()) return {role, fmt::format("token {}", at), at, true};
    std::string byte = byte_words(labels, place);
    if (!byte.empty()) return {role, std::move(byte), at, true};
    return {role, without_blanks(labels[place]), at};
  };
  const LookFact fact = rows == columns ? look_fact(rows, query, key) : LookFact::none;
  std::vector<LookPiece> pieces = {
      named(Role::query, rows, query),
      {Role::words, " looks at ", -1},
      fact == LookFact::itself ? LookPiece{Role::key, "itself", key, true} : named(Role::key, columns, key),
      {Role::words, " with ", -1},
      {Role::share, share_words(static_cast<double>(tensor.at({batch, head, query, key}))), -1}};
  add_fact(pieces, fact, rows, query, key);
  pieces.push_back({Role::words, ".", -1});
  return pieces;
}

std::string look_sentence(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query,
                          std::int64_t key) {
  std::string words;
  for (const LookPiece& piece : look_pieces(trace, batch, head, query, key)) words += piece.text;
  return words;
}

}  // namespace headscope
