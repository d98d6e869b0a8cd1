#include "core/text/marian_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/json_cursor.h"
#include "core/text/sentence_piece_file.h"
#include "core/text/tokenizer_json.h"

namespace headscope {
namespace {

using Piece = SentencePieceFile::Piece;

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kDigits[(bits >> (count - 6)) & 63];
  }
  if (count > 0) text += kDigits[(bits << (6 - count)) & 63];
  return text;
}

[[noreturn]] void refuse(const std::string& file, std::string_view found, std::string_view expected) {
  throw Error(fmt::format("{}: found {}; expected {}", file, found, expected));
}

void check_kind(const SentencePieceFile& read, const std::string& file) {
  static constexpr std::string_view kNames[] = {"Unigram", "BPE", "word", "character"};
  if (read.model != SentencePieceFile::Model::unigram) {
    refuse(file, fmt::format("a {} model", kNames[static_cast<std::size_t>(read.model) - 1]), "a Unigram model");
  }
  if (read.blank_behind) refuse(file, "blanks as ends of pieces", "blanks as their beginnings");
  if (!read.escape_blanks) refuse(file, "pieces with plain blanks", "blanks as U+2581");
  if (read.byte_fallback) refuse(file, "characters that are spelled by bytes", "Marian's <unk> for them");
}

void read_list(std::string_view text, const std::string& file, Vocabulary& vocabulary) {
  JsonCursor cursor(text, file);
  if (cursor.kind() != JsonValue::Kind::object) cursor.fail("expected an object of pieces and their ids");
  JsonCursor rest = cursor;
  rest.skip_value();
  rest.finish();
  read_vocabulary(cursor, vocabulary);
}

std::int64_t id_of(const Vocabulary& vocabulary, std::string_view piece, const std::string& file) {
  const auto id = vocabulary.find(piece);
  if (!id) refuse(file, fmt::format("no piece \"{}\"", piece), "Marian's vocabulary, which has one");
  return *id;
}

bool is_spelled(const Piece& piece) {
  return piece.type == Piece::Type::normal || piece.type == Piece::Type::user_defined;
}

// The pieces that spell a text, with scores by id. Those that the list lacks stand behind it.
void add_pieces(const SentencePieceFile& read, std::int64_t listed, UnigramModel& model) {
  std::vector<std::pair<std::string_view, std::int32_t>> spelled;
  double least = 0;
  for (const Piece& piece : read.pieces) {
    if (!is_spelled(piece)) continue;
    std::optional<std::int64_t> id = model.vocabulary.find(piece.text);
    if (!id) {
      id = std::max(listed, model.vocabulary.size());
      model.vocabulary.add(piece.text, *id);
    }
    if (static_cast<std::size_t>(*id) >= model.scores.size()) model.scores.resize(static_cast<std::size_t>(*id) + 1);
    model.scores[static_cast<std::size_t>(*id)] = piece.score;
    least = spelled.empty() ? piece.score : std::min(least, piece.score);
    spelled.emplace_back(piece.text, static_cast<std::int32_t>(*id));
  }
  model.unknown_score = least - 10;  // SentencePiece: what is unknown costs 10 more than the least likely piece
  model.pieces = ByteTrie(std::move(spelled));
}

void add_special(const Vocabulary& vocabulary, TokenizerParts& parts) {
  vocabulary.each([&](std::string_view piece, std::int64_t id) {
    const bool language = piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<");
    if (!language && piece != "</s>" && piece != "<unk>" && piece != "<pad>") return;
    AddedToken token;
    token.id = id;
    token.content = piece;
    token.special = true;
    parts.added_tokens.push_back(std::move(token));
  });
}

}  // namespace

TokenizerParts read_marian_files(std::span<const std::byte> model_bytes, const std::string& model_file,
                                 std::string_view vocabulary, const std::string& vocabulary_file) {
  const SentencePieceFile read = read_sentence_piece_file(model_bytes, model_file);
  check_kind(read, model_file);
  UnigramModel model;
  read_list(vocabulary, vocabulary_file, model.vocabulary);
  const std::int64_t listed = model.vocabulary.size(), end = id_of(model.vocabulary, "</s>", vocabulary_file);
  model.unknown = static_cast<std::int32_t>(id_of(model.vocabulary, "<unk>", vocabulary_file));
  TokenizerParts parts;
  add_special(model.vocabulary, parts);
  add_pieces(read, listed, model);
  parts.vocabulary_end = listed;
  parts.post_processor.after = {{end, "</s>"}};
  if (!read.precompiled_charsmap.empty()) {
    PrecompiledMap map(base64(read.precompiled_charsmap), model_file + ": precompiled_charsmap");
    map.set_match(PrecompiledMap::Match::longest);
    parts.normalizer.emplace_back(std::move(map));
  }
  if (read.remove_extra_blanks) {
    parts.normalizer.emplace_back(StripStep{});
    ReplaceStep single;
    single.pattern.emplace(" {2,}", model_file);
    single.content = " ";
    parts.normalizer.emplace_back(std::move(single));
  }
  MetaspaceSplit split;
  split.prepend = read.add_dummy_prefix ? MetaspaceSplit::Prepend::always : MetaspaceSplit::Prepend::never;
  parts.pre_tokenizer = {std::move(split)};
  parts.decoder = {MetaspaceDecoder{}};
  parts.roles.unknown = *model.unknown;
  parts.roles.end = end;
  parts.model = std::move(model);
  return parts;
}

}  // namespace headscope
