// The tokens of a logit that is taken apart, as somebody types them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"

namespace headscope {

// "A" or "A,B" as one or two texts; they are tokens as they stand, blanks included. UsageError of the option "token"
// for an empty one and for more than two: a token with a comma in it is named by its id.
std::vector<std::string> logit_token_texts(const std::string& text);

// Their ids, as named_token() finds them. UsageError of the option "token".
std::vector<std::int64_t> logit_token_ids(const Checkpoint& checkpoint, const std::string& text);

}  // namespace headscope
