// The text of a request as tokens of a model. Internal to core/model.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/model/inputs.h"
#include "core/request/request.h"
#include "core/text/tokenizer.h"

namespace headscope {

// Tokens, ids and types of a request's phrase, or of both of its phrases, or of its token-ids. UsageError for a phrase
// without a tokenizer, a pair that the tokenizer does not join, a text that is far too long, and ids that are none of
// the vocabulary; Error for a tokenizer that does not fit the model.
void read_text(const Request& request, const Checkpoint& checkpoint, Inputs& inputs);

// Of ids as Inputs::words has them: -1 for a special token of the vocabulary, but for the one that stands for whatever
// it does not know; every other token is a word of its own. Empty without a tokenizer: then nothing is known of them.
std::vector<std::int64_t> words_of_ids(const std::vector<std::int64_t>& ids, const Tokenizer* tokenizer);

// UsageError, which names `option`, for a text without a token, or with more than the model takes.
void check_text_len(const Request& request, const char* option, const Inputs& inputs);

}  // namespace headscope
