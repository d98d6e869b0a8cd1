#include "core/text/sentence_piece_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/text/aligned_text.h"

namespace headscope {
namespace {

using Piece = SentencePieceFile::Piece;
using Entries = std::vector<std::pair<std::string_view, std::int32_t>>;

[[noreturn]] void refuse_file(const std::string& file, std::string_view found, std::string_view expected) {
  throw Error(fmt::format("{}: found {}; expected {}", file, found, expected));
}

ByteTrie trie_of_defined(const SentencePieceFile& read, const std::vector<std::int64_t>& ids) {
  Entries defined;
  for (std::size_t k = 0; k < read.pieces.size(); ++k) {
    if (read.pieces[k].type != Piece::Type::user_defined) continue;
    defined.emplace_back(read.pieces[k].text, static_cast<std::int32_t>(ids.empty() ? 0 : ids[k]));
  }
  return ByteTrie(std::move(defined));
}

std::size_t room_for(const std::vector<std::int64_t>& ids) {
  const auto largest = std::max_element(ids.begin(), ids.end());
  return largest == ids.end() ? 0 : static_cast<std::size_t>(*largest) + 1;
}

}  // namespace

SentencePieceStep sentence_piece_step(const SentencePieceFile& read, const std::string& file) {
  using Model = SentencePieceFile::Model;
  if (read.model == Model::word) refuse_file(file, "a word model", "a Unigram or BPE model");
  if (read.model == Model::character) refuse_file(file, "a character model", "a Unigram or BPE model");
  if (read.blank_behind) refuse_file(file, "blanks as ends of pieces", "blanks as their beginnings");
  SentencePieceStep step;
  if (!read.precompiled_charsmap.empty()) {
    step.map = PrecompiledMap::of_bytes(read.precompiled_charsmap, file + ": precompiled_charsmap");
  }
  step.kept = trie_of_defined(read, {});
  step.add_dummy_prefix = read.add_dummy_prefix;
  step.remove_extra_blanks = read.remove_extra_blanks;
  step.escape_blanks = read.escape_blanks;
  return step;
}

void add_unigram_pieces(const SentencePieceFile& read, const std::vector<std::int64_t>& ids, UnigramModel& model) {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const Piece& piece : read.pieces) {
    if (piece.type != Piece::Type::normal) continue;
    least = std::min(least, piece.score);
    largest = std::max(largest, piece.score);
  }
  if (least == std::numeric_limits<double>::infinity()) least = 0;
  Entries spelled;
  model.scores.resize(std::max(model.scores.size(), room_for(ids)));
  for (std::size_t k = 0; k < read.pieces.size(); ++k) {
    const Piece& piece = read.pieces[k];
    const bool defined = piece.type == Piece::Type::user_defined;
    if (!defined && piece.type != Piece::Type::normal) continue;
    model.scores[static_cast<std::size_t>(ids[k])] =
        defined ? static_cast<double>(piece.text.size()) * largest - 0.1 : piece.score;
    spelled.emplace_back(piece.text, static_cast<std::int32_t>(ids[k]));
  }
  model.unknown_score = least - 10;
  model.pieces = ByteTrie(std::move(spelled));
}

void add_bpe_pieces(const SentencePieceFile& read, const std::vector<std::int64_t>& ids, const std::string& file,
                    BpeModel& model) {
  std::vector<double> scores(room_for(ids));
  std::vector<bool> joins(scores.size(), false);
  for (std::size_t k = 0; k < read.pieces.size(); ++k) {
    const Piece& piece = read.pieces[k];
    if (piece.type == Piece::Type::unused) refuse_file(file, "unused pieces in a BPE model", "none");
    if (piece.type != Piece::Type::normal) continue;
    scores[static_cast<std::size_t>(ids[k])] = piece.score;
    joins[static_cast<std::size_t>(ids[k])] = true;
  }
  model.whole = trie_of_defined(read, ids);
  add_scored_merges(scores, joins, model);
  finish(model);
}

void add_scored_merges(const std::vector<double>& scores, const std::vector<bool>& joins, BpeModel& model) {
  const auto does_join = [&joins](std::int64_t id) { return joins[static_cast<std::size_t>(id)]; };
  const auto score_of = [&scores](std::int64_t id) { return scores[static_cast<std::size_t>(id)]; };
  std::vector<std::int64_t> by_score;
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(scores.size()); ++id) {
    if (does_join(id)) by_score.push_back(id);
  }
  std::stable_sort(by_score.begin(), by_score.end(),
                   [&](std::int64_t a, std::int64_t b) { return score_of(a) > score_of(b); });
  std::int64_t before = -1;
  for (const std::int64_t id : by_score) {
    if (before >= 0 && score_of(id) < score_of(before)) ++model.next_rank;
    before = id;
    const std::string_view piece = model.vocabulary.piece(id);
    if (model.vocabulary.find(piece) != id) continue;  // a piece that stands twice
    for_each_code_point(piece, [&](std::uint32_t, std::size_t at, std::size_t) {
      if (at == 0) return;
      const auto left = model.vocabulary.find(piece.substr(0, at)), right = model.vocabulary.find(piece.substr(at));
      if (!left || !right || !does_join(*left) || !does_join(*right)) return;
      model.merges.set(static_cast<std::int32_t>(*left), static_cast<std::int32_t>(*right),
                       {model.next_rank, static_cast<std::int32_t>(id)});
    });
  }
  ++model.next_rank;
}

}  // namespace headscope
