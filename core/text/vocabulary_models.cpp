#include <algorithm>

#include "core/base/error.h"
#include "core/text/aligned_text.h"
#include "core/text/byte_alphabet.h"
#include "core/text/vocabulary_model.h"

namespace headscope {

namespace {

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// Every piece that `wanted` lets through, less its first `skipped` bytes.
template <typename F>
ByteTrie trie_of(const Vocabulary& vocabulary, std::size_t skipped, F&& wanted) {
  std::vector<std::pair<std::string_view, std::int32_t>> pieces;
  pieces.reserve(static_cast<std::size_t>(vocabulary.size()));
  vocabulary.each([&](std::string_view piece, std::int64_t id) {
    if (wanted(piece)) pieces.push_back({piece.substr(skipped), static_cast<std::int32_t>(id)});
  });
  return ByteTrie(std::move(pieces));
}

// A part that no path spells: perhaps a piece all the same, or bytes, or the unknown token.
void append_unknown(const UnigramModel& model, std::string_view word, ModelToken token,
                    std::vector<ModelToken>& tokens) {
  const std::string_view text = word.substr(token.begin, token.end - token.begin);
  const std::optional<std::int64_t> whole = model.looks_up_unknown ? model.vocabulary.find(text) : std::nullopt;
  if (whole) {
    tokens.push_back({static_cast<std::int32_t>(*whole), token.begin, token.end});
    return;
  }
  if (model.byte_fallback) {
    const std::size_t before = tokens.size();
    for (const char c : text) {
      const auto id = model.vocabulary.find(name_of_byte(static_cast<unsigned char>(c)));
      if (!id) break;
      tokens.push_back({static_cast<std::int32_t>(*id), token.begin, token.end});
    }
    if (tokens.size() == before + text.size()) return;
    tokens.resize(before);
  }
  token.as_written = true;
  tokens.push_back(token);
}

}  // namespace

void finish(WordPieceModel& model) {
  const std::string& prefix = model.continuing_subword_prefix;
  model.beginnings = trie_of(model.vocabulary, 0, [](std::string_view) { return true; });
  model.continuations =
      trie_of(model.vocabulary, prefix.size(), [&](std::string_view piece) { return piece.starts_with(prefix); });
}

void finish(UnigramModel& model) {
  // SentencePiece: what is unknown costs 10 more than the least likely piece.
  const auto least = std::min_element(model.scores.begin(), model.scores.end());
  model.unknown_score = (least == model.scores.end() ? 0 : *least) - 10;
  model.pieces = trie_of(model.vocabulary, 0, [](std::string_view) { return true; });
}

void spell(const WordPieceModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens) {
  if (word.empty()) return;
  const std::size_t before = tokens.size();
  const auto bytes = static_cast<std::uint32_t>(word.size());
  bool known = code_points(word) <= static_cast<std::int64_t>(model.max_input_chars_per_word);
  for (std::size_t at = 0; known && at < word.size();) {
    ++scratch.steps;
    const ByteTrie& trie = at == 0 ? model.beginnings : model.continuations;
    const auto [length, id] = trie.longest_prefix(word.substr(at));
    known = length > 0;
    if (known) tokens.push_back({id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + length)});
    at += length;
  }
  if (known) return;
  tokens.resize(before);
  tokens.push_back({model.unknown, 0, bytes});
}

void spell(const UnigramModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens) {
  if (word.empty()) return;
  constexpr std::int32_t none = -1;
  std::vector<ModelScratch::Best>& best = scratch.best;  // by where a piece ends
  best.assign(word.size() + 1, {0, none, none});
  const std::int32_t unknown = model.unknown ? *model.unknown : none;
  const auto offer = [&](std::size_t begin, std::size_t end, double score, std::int32_t id) {
    ++scratch.steps;
    const double sum = best[begin].score + score;
    if (best[end].begin == none || sum > best[end].score) best[end] = {sum, static_cast<std::int32_t>(begin), id};
  };
  for (std::size_t at = 0; at < word.size();) {
    const auto character = static_cast<std::size_t>(code_point_at(word, at).bytes);
    bool single = false;
    model.pieces.each_prefix(word.substr(at), [&](std::size_t length, std::int32_t id) {
      offer(at, at + length, model.scores[static_cast<std::size_t>(id)], id);
      single = single || length == character;
    });
    if (!single) {
      if (!model.unknown) {
        throw Error("this Unigram vocabulary has no unknown token (unk_id), and the text has a character outside it: " +
                    std::string(word.substr(at, character)));
      }
      offer(at, at + character, model.unknown_score, unknown);
    }
    at += character;
  }

  std::vector<ModelToken>& path = scratch.path;  // last token first; neighbours that are unknown are one
  path.clear();
  for (std::size_t end = word.size(); end > 0; end = static_cast<std::size_t>(best[end].begin)) {
    const auto begin = static_cast<std::uint32_t>(best[end].begin);
    const std::int32_t id = best[end].id;
    if (id == unknown && !path.empty() && path.back().id == unknown) {
      path.back().begin = begin;
    } else {
      path.push_back({id, begin, static_cast<std::uint32_t>(end)});
    }
  }
  for (auto one = path.rbegin(); one != path.rend(); ++one) {
    if (one->id == unknown) {
      append_unknown(model, word, *one, tokens);
    } else {
      tokens.push_back(*one);
    }
  }
}

void spell(const WordLevelModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens) {
  if (word.empty()) return;
  ++scratch.steps;
  const auto bytes = static_cast<std::uint32_t>(word.size());
  if (const auto id = model.vocabulary.find(word)) {
    tokens.push_back({static_cast<std::int32_t>(*id), 0, bytes});
  } else if (model.unknown) {
    tokens.push_back({*model.unknown, 0, bytes});
  } else {
    throw Error("this WordLevel vocabulary has no unknown token (unk_token), and the text has a word outside it: " +
                std::string(word.substr(0, 80)));
  }
}

void spell(const VocabularyModel& model, std::string_view word, ModelScratch& scratch,
           std::vector<ModelToken>& tokens) {
  std::visit([&](const auto& one) { spell(one, word, scratch, tokens); }, model);
}

const Vocabulary& vocabulary_of(const VocabularyModel& model) {
  return std::visit([](const auto& one) -> const Vocabulary& { return one.vocabulary; }, model);
}

std::optional<std::int64_t> unknown_of(const VocabularyModel& model) {
  return std::visit([](const auto& one) -> std::optional<std::int64_t> { return one.unknown; }, model);
}

}  // namespace headscope
