// What the tokenizers of the families that have SentencePiece files make of them. Internal to core/text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

// fairseq's list of pieces, where a model has its ids: its own special ones, then the file's pieces behind its first
// three, which are <unk>, <s> and </s>.
struct FairseqIds {
  std::int64_t unknown = 3, begin = 0, end = 2;                       // of the file's first three pieces
  std::int64_t shift = 1;                                             // of all others
  std::vector<std::pair<std::string_view, std::int64_t>> added = {};  // pieces that the file does not have
};

// What a model's own tokenizer makes of the file.
struct SentencePieceUse {
  std::vector<std::string_view> classes = {};      // tokenizer_class, without "Fast" at its end
  std::vector<std::string_view> model_types = {};  // of config.json
  std::string_view file = {};                      // the name under which it usually lies
  // Of one text, and of two: A and B among pieces, and LANGUAGE, one of `appended` that src_lang names, else English.
  std::string_view pattern = {};
  std::string_view pair = {};
  std::string_view pair_types = {};             // one digit a part of `pair`
  std::vector<std::string_view> appended = {};  // tokens behind the pieces, where they do not have them
  std::string_view mask = {};                   // a token that takes the blanks before it
  bool switches = false;                        // add_bos_token and add_eos_token may ask for another frame
  bool sentinels = false;                       // extra_ids: <extra_id_99> to <extra_id_0> behind the pieces
  bool lower_case = false;                      // unless do_lower_case says otherwise
  bool plain_letters = false;                   // quotes as ", no accents unless keep_accents says so
  bool plain = false;                           // SentencePiece's own pieces: no mark is looked for in a text
  const FairseqIds* fairseq = nullptr;          // null: a piece's id is its place in the file
};

// By the class of the tokenizer (tokenizer_config.json), else by the type of the model (config.json), else, where both
// are empty, by the name of the file. Null for one that is not known.
const SentencePieceUse* sentence_piece_use(std::string_view tokenizer_class, std::string_view model_type,
                                           std::string_view file_name);

}  // namespace headscope
