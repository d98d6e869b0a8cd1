// A token of a model's vocabulary, as somebody types it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/checkpoint.h"

namespace headscope {

// The id of the token that `text` names: digits alone are an id; else the one token that the model's tokenizer makes of
// the text as it stands; else the vocabulary's own spelling ("Ġtired", "##ing"); else the one token of the text behind
// a blank. So " tired" and "tired" are two tokens where the vocabulary has both. UsageError of `option`: an id that the
// vocabulary does not have, a text without a tokenizer, a text that is no token or several.
std::int64_t named_token(const Checkpoint& checkpoint, const std::string& option, std::string_view text);

// The piece as shown; the id where the model has no tokenizer.
std::string token_piece(const Checkpoint& checkpoint, std::int64_t id);

}  // namespace headscope
