// The text of a request as tokens of a model. Internal to core/model.
#pragma once

#include "core/model/checkpoint.h"
#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// Tokens, ids and types of a request's phrase, or of both of its phrases, or of its token-ids. UsageError for a phrase
// without a tokenizer, a pair that the tokenizer does not join, a text that is far too long, and ids that are none of
// the vocabulary; Error for a tokenizer that does not fit the model.
void read_text(const Request& request, const Checkpoint& checkpoint, Inputs& inputs);

// UsageError, which names `option`, for a text without a token, or with more than the model takes.
void check_text_len(const Request& request, const char* option, const Inputs& inputs);

}  // namespace headscope
