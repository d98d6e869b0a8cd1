// Marian's vocabularies: pieces by a SentencePiece model, ids by a list of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// The tokenizer of source.spm or target.spm, `model`, whose pieces have the ids of vocab.json, `vocabulary` (an object
// of pieces and ids). A text is spelled as SentencePiece does it; a piece that vocab.json does not have is its "<unk>",
// and a target language in front, such as ">>fr<<", is a token; behind a text stands "</s>". Equals MarianTokenizer of
// Hugging Face Transformers. Error, which names the file, for what is malformed, a vocabulary without "<unk>" or
// "</s>", and a SentencePiece model of another kind than Unigram.
TokenizerParts read_marian_files(std::span<const std::byte> model, const std::string& model_file,
                                 std::string_view vocabulary, const std::string& vocabulary_file);

}  // namespace headscope
