// tokenizer.json, the format of Hugging Face's tokenizers library.
#pragma once

#include <string>
#include <string_view>

#include "core/io/json_cursor.h"
#include "core/text/json_part.h"
#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// The tokenizer that the file describes. Throws Error that begins with `file` and names the part, what was found and
// what is known here.
TokenizerParts read_tokenizer_json(std::string_view json, const std::string& file);

// Its parts, each null or an object with a "type"; a Sequence's steps follow one another.
Normalizer read_normalizer(const JsonPart& part);
PreTokenizer read_pre_tokenizer(const JsonPart& part);
PostProcessor read_post_processor(const JsonPart& part);
Decoder read_decoder(const JsonPart& part);

// [CLS] A [SEP] B [SEP] with the types 0 and 1; <s> A </s> </s> B </s>, all of type 0.
std::vector<PostProcessor::PairPart> bert_pair(const PostProcessor::Special& begin, const PostProcessor::Special& end);
std::vector<PostProcessor::PairPart> roberta_pair(const PostProcessor::Special& begin,
                                                  const PostProcessor::Special& end);
VocabularyModel read_model(JsonCursor model, const std::string& where);

// The ids of a vocabulary given as an object of pieces.
void read_vocabulary(JsonCursor cursor, Vocabulary& vocabulary);

// Adds the merge with the next rank. Error when one of the three pieces is not in the vocabulary.
void add_merge(BpeModel& model, std::string_view left, std::string_view right, const std::string& where);

}  // namespace headscope
