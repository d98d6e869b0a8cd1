// The vocabulary files that were used before tokenizer.json: vocab.json with merges.txt, and vocab.txt.
#pragma once

#include <string>
#include <string_view>

#include "core/text/json_part.h"
#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// GPT-2's files; RoBERTa's, which have <s> and </s> and put them around a text; or Qwen2's, where the config names its
// class. `config`: tokenizer_config.json, of which add_prefix_space, tokenizer_class, add_bos_token and bos_token (OPT)
// are read; it may be missing.
TokenizerParts read_byte_level_files(std::string_view vocabulary, const std::string& vocabulary_file,
                                     std::string_view merges, const std::string& merges_file, const JsonPart& config);

// Error when the vocabulary has a piece of several letters that no line of merges.txt makes, and that is no mark of its
// own (<...>, [...], fairseq's madeupword..., or one that added_tokens_decoder of `config`, tokenizer_config.json,
// names): merges.txt is then cut short.
void check_merges_are_whole(const TokenizerParts& parts, const JsonPart& config, const std::string& merges_file);

// Error when vocab.txt has fewer pieces than the model has rows: vocab_size of `model_config`, the model's config.json,
// which may be missing. Rows that only fill up a multiple of 8 need no piece.
void check_pieces_are_whole(const TokenizerParts& parts, const JsonPart& model_config, const std::string& file);

// BERT's vocab.txt: a piece a line, its id the line's number from 0. Of `config` do_lower_case, strip_accents and
// tokenize_chinese_chars are read; without do_lower_case, text is made lower case unless the vocabulary has words with
// capitals.
TokenizerParts read_word_piece_file(std::string_view vocabulary, const std::string& file, const JsonPart& config);

}  // namespace headscope
