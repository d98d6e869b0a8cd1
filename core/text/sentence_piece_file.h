// SentencePiece's .model and .spm files (Kudo and Richardson 2018): a ModelProto of protocol buffers, as
// sentencepiece_model.proto describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct SentencePieceFile {
  struct Piece {
    enum class Type { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
    std::string text;
    double score = 0;  // a float32
    Type type = Type::normal;
  };
  enum class Model { unigram = 1, bpe = 2, word = 3, character = 4 };
  std::vector<Piece> pieces;  // by id
  Model model = Model::unigram;
  bool byte_fallback = false;
  bool blank_behind = false;         // treat_whitespace_as_suffix
  std::string precompiled_charsmap;  // as PrecompiledMap reads it, once in base64
  bool add_dummy_prefix = true, remove_extra_blanks = true, escape_blanks = true;
};

// Error that begins with `file` and says at which byte what was expected. Fields that are not known are passed over.
SentencePieceFile read_sentence_piece_file(std::span<const std::byte> bytes, const std::string& file);

}  // namespace headscope
