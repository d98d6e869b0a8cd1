// The tokenizer of a folder whose only vocabulary is a SentencePiece file: spiece.model, spm.model, tokenizer.model or
// sentencepiece.bpe.model.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/text/json_part.h"
#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// The names under which folders hold such a file.
inline constexpr const char* kSentencePieceNames[] = {"spiece.model", "spm.model", "tokenizer.model",
                                                      "sentencepiece.bpe.model"};

// A text is spelled as SentencePiece does it, between the control pieces that it spells. What stands around it, and the
// tokens that the file does not have, are those of the model's own tokenizer: tokenizer_class of `config`
// (tokenizer_config.json), else model_type of `model_config` (config.json), else by the file's name; either may be
// missing. Known are the tokenizers of T5 and mT5, ALBERT, DeBERTa-v2, Llama, Gemma and XLM-RoBERTa. nullopt for
// another, and for a tokenizer.model that is a list of tiktoken. Error, which names the file, for what is malformed or
// not read.
std::optional<TokenizerParts> read_sentence_piece_tokenizer(std::span<const std::byte> bytes, const std::string& file,
                                                            const JsonPart& config, const JsonPart& model_config);

// The same of a file by itself: the pieces are SentencePiece's own (encode() of its library), nothing stands around a
// text, and control pieces are not looked for in it.
TokenizerParts read_sentence_pieces_alone(std::span<const std::byte> bytes, const std::string& file);

}  // namespace headscope
