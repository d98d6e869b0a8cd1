// One token more at the end of a request's text.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/request.h"

namespace headscope {

// `request` with these ids in place of its phrase, or, where it has a text of a decoder, of that.
Request with_ids(const Request& request, std::vector<std::int64_t> ids);

// `request` with the token `id` behind those of `inputs`, which are its own: in its phrase where a longer phrase reads
// back as exactly these tokens, else as token ids. `inputs` are of a checkpoint.
Request with_appended_token(const Request& request, const Inputs& inputs, std::int64_t id);

// Whether the model ends a text with this token: as its config.json names it (eos_token_id) or its tokenizer.
bool ends_text(const Checkpoint& checkpoint, std::int64_t id);

}  // namespace headscope
