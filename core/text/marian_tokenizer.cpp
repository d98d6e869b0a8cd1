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
#include "core/text/sentence_piece_parts.h"
#include "core/text/tokenizer_json.h"

namespace headscope {
namespace {

using Piece = SentencePieceFile::Piece;

[[noreturn]] void refuse(const std::string& file, std::string_view found, std::string_view expected) {
  throw Error(fmt::format("{}: found {}; expected {}", file, found, expected));
}

void check_kind(const SentencePieceFile& read, const std::string& file) {
  if (read.model == SentencePieceFile::Model::bpe) refuse(file, "a BPE model", "a Unigram model");
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

// The ids of the file's pieces: those that the list lacks stand behind it.
std::vector<std::int64_t> ids_of_pieces(const SentencePieceFile& read, std::int64_t listed, Vocabulary& vocabulary) {
  std::vector<std::int64_t> ids;
  for (const Piece& piece : read.pieces) {
    const bool spells = piece.type == Piece::Type::normal || piece.type == Piece::Type::user_defined;
    std::optional<std::int64_t> id = vocabulary.find(piece.text);
    if (!id && spells) {
      id = std::max(listed, vocabulary.size());
      vocabulary.add(piece.text, *id);
    }
    ids.push_back(id.value_or(0));
  }
  return ids;
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
  SentencePieceStep step = sentence_piece_step(read, model_file);
  UnigramModel model;
  read_list(vocabulary, vocabulary_file, model.vocabulary);
  const std::int64_t listed = model.vocabulary.size(), end = id_of(model.vocabulary, "</s>", vocabulary_file);
  model.unknown = static_cast<std::int32_t>(id_of(model.vocabulary, "<unk>", vocabulary_file));
  TokenizerParts parts;
  add_special(model.vocabulary, parts);
  add_unigram_pieces(read, ids_of_pieces(read, listed, model.vocabulary), model);
  parts.vocabulary_end = listed;
  parts.post_processor.after = {{end, "</s>"}};
  parts.normalizer = {std::move(step)};
  parts.decoder = {MetaspaceDecoder{}};
  parts.roles.unknown = *model.unknown;
  parts.roles.end = end;
  parts.model = std::move(model);
  return parts;
}

}  // namespace headscope
