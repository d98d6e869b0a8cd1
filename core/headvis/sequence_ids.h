// The ids of a sequence's tokens, of which HeadVis's folder has the texts alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

struct SequenceIds {
  std::vector<std::int64_t> ids;  // one a token; empty where there is a problem
  std::string problem;            // "its token 3, 'foo', is none of the vocabulary"
};

// The tokens' texts are those that the tokenizer shows for its pieces, or the text that each stands for, with its
// blank. Tried in this order, until one gives an id: the tokens of `text` as a whole, where they are just these; the
// piece in the vocabulary's own spelling, also with the marks that tokenizers put in place of a blank; the tokens of
// the text alone, where it is one.
SequenceIds sequence_ids(const Tokenizer& tokenizer, const std::vector<std::string>& tokens, const std::string& text);

}  // namespace headscope
