// Random tokens that stand twice one after the other: what is previous, next, duplicate or induction shows there
// without what language adds.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

// `count` ordinary tokens of the vocabulary, drawn by the phrase's index and by nothing else, no two alike where it has
// as many; then the same once more. Around them stand the special tokens that the tokenizer puts around `phrase`.
// Empty where the vocabulary (ids below `vocabulary`) has no ordinary token.
std::vector<std::int64_t> repeated_tokens(const Tokenizer& tokenizer, std::int64_t vocabulary, const Tokens& phrase,
                                          std::int64_t index, std::int64_t count);

}  // namespace headscope
