// What a head and each of its rows attend to, as sentences: for a caption, a mail, a screen reader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

struct HeadWords {
  std::string head;               // "head 7: previous token 0.87; mean entropy 0.71 bit"
  std::vector<std::string> rows;  // [query_len]: "it attends to animal 0.88, street 0.07; entropy 0.71 bit"
};

// From `weights` of one batch item and head, exact also where they are computed when read. A row names its largest
// weights until 0.9 of its sum is named, three at most, equal ones by position, and says what the others hold where
// that rounds to more than 0.05. A row whose entropy is 0.97 log2(n) or more of n >= 4 visible keys is said to be even
// (a learned sink counts as one more of n, and what it takes is said); one that sees no key, one key without a sink, or
// is no number says that, and one with weight on hidden keys how much. A token that stands twice in the text is
// followed by its position. The head's sentence is its pattern (core/heads/pattern.h). Throws Cancelled.
HeadWords head_words(const Trace& trace, std::int64_t batch, std::int64_t head, const CancelToken& cancel = {});

}  // namespace headscope
