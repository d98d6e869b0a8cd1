// How a vocabulary spells the blanks of a text. Internal to core/text.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor/shape.h"
#include "core/text/decoder.h"
#include "core/text/metaspace.h"
#include "core/text/normalizer.h"
#include "core/text/pre_tokenizer.h"

namespace headscope {

// How the vocabulary writes blanks.
enum class Spelling { plain, bytes, metaspace };
Spelling spelling_of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const Decoder& decoder);

// `piece` with a blank for every kMetaspace.
std::string with_blanks(std::string_view piece);

// Leaves out blanks at the ends of a token's range, as far as its spelling has them; `keep_leading`: but not a single
// leading one, which was not in the text.
Range trimmed(std::string_view text, std::string_view spelling, Range range, bool keep_leading);

}  // namespace headscope
