#include "core/text/added_tokens.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/text/unicode.h"

namespace headscope {

namespace {

std::size_t code_point_before(std::string_view text, std::size_t at) {
  do {
    --at;
  } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  const bool word_before = begin > 0 && is_word_character(code_point_at(text, code_point_before(text, begin)).value);
  return !word_before && (end == text.size() || !is_word_character(code_point_at(text, end).value));
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer) : tokens_(std::move(tokens)) {
  std::stable_sort(tokens_.begin(), tokens_.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  as_typed_ = finder(false, normalizer);
  as_normalized_ = finder(true, normalizer);
}

AddedTokens::Finder AddedTokens::finder(bool wanted, const Normalizer& normalizer) const {
  Finder result;
  std::vector<std::int32_t> indices;
  for (std::size_t k = 0; k < tokens_.size(); ++k) {
    if (tokens_[k].normalized != wanted) continue;
    const std::string& content = tokens_[k].content;
    result.spellings.push_back(wanted ? normalized(aligned(content), normalizer).bytes : content);
    indices.push_back(static_cast<std::int32_t>(k));
  }
  std::vector<std::pair<std::string_view, std::int32_t>> entries;
  for (std::size_t k = 0; k < indices.size(); ++k) entries.push_back({result.spellings[k], indices[k]});
  result.trie = ByteTrie(std::move(entries));
  return result;
}

void AddedTokens::find_all(const Finder& finder, std::string_view text, std::vector<TextPiece>& pieces) const {
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto [length, index] = finder.trie.longest_prefix(text.substr(at));
    if (length == 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(index)];
    std::size_t begin = at, end = at + length;
    at = end;
    if (token.single_word && !stands_alone(text, begin, end)) continue;
    while (token.lstrip && begin > done) {
      const std::size_t before = code_point_before(text, begin);
      if (before < done || !is_space(code_point_at(text, before).value)) break;
      begin = before;
    }
    while (token.rstrip && end < text.size()) {
      const CodePoint next = code_point_at(text, end);
      if (!is_space(next.value)) break;
      end += static_cast<std::size_t>(next.bytes);
    }
    if (begin > done) pieces.push_back({done, begin, -1});
    pieces.push_back({begin, end, token.id});
    done = end;
    at = std::max(at, end);
  }
  if (done < text.size()) pieces.push_back({done, text.size(), -1});
}

PieceList AddedTokens::split(const AlignedText& text, const Normalizer& normalizer) const {
  PieceList list;
  std::vector<TextPiece> typed, inner;
  find_all(as_typed_, text.bytes, typed);
  for (const TextPiece& piece : typed) {
    AlignedText part;
    part.append(text, piece.begin, piece.end);
    inner.clear();
    if (piece.id >= 0) {
      inner.push_back({0, part.size(), piece.id});
    } else {
      part = normalized(std::move(part), normalizer);
      find_all(as_normalized_, part.bytes, inner);
    }
    const std::size_t base = list.text.size();
    list.text.append(part, 0, part.size());
    for (const TextPiece& one : inner) list.pieces.push_back({base + one.begin, base + one.end, one.id});
  }
  return list;
}

const AddedToken* AddedTokens::find(std::int64_t id) const {
  const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), id,
                                      [](const AddedToken& token, std::int64_t wanted) { return token.id < wanted; });
  return found == tokens_.end() || found->id != id ? nullptr : &*found;
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  for (const AddedToken& token : tokens_) {
    if (token.content == content) return &token;
  }
  return nullptr;
}

}  // namespace headscope
