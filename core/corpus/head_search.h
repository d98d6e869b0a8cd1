// Which heads a line of text asks for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus/head_table.h"

namespace headscope {

struct HeadSearch {
  std::vector<std::size_t> heads;  // indices in the table, increasing; none where there is a problem
  std::string problem;             // what cannot be read, and what can; "" where all can
};

// Parts with commas between. "5.1", "5.*", "*.1", "like 5.1" (it and the heads that are most like it, at most
// kMostAlike) and "like 5.1 by pattern" (the same by AlikeBy::pattern) name heads: those of any of them; without such a
// part all heads. "entropy < 1", with <, <=, > or >= and a mean by its key, spaces for its underlines, is a condition:
// only heads that meet all of them, whose mean is defined. Text of nothing but spaces asks for none.
constexpr std::size_t kMostAlike = 8;
HeadSearch search_heads(const HeadTable& table, std::string_view text);

}  // namespace headscope
