// Why a text cannot be generated from a request.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/inputs.h"
#include "core/request/problem.h"
#include "core/request/request.h"

namespace headscope {

// What can be found without opening a file: no model with a vocabulary, more than one text, files of masks, whose
// shapes are those of one length. `request` has no find_problem().
std::optional<Problem> generation_problem(const Request& request);

// What is found once files are read: a model that does not predict the next token, and fewer positions than the prompt
// and `tokens` more take. `inputs` are those of `request`. The option of the latter is `tokens`.
std::optional<Problem> generation_problem(const Request& request, const Inputs& inputs, std::int64_t tokens);

}  // namespace headscope
