// Words of a text: what stands between blanks.
#pragma once

#include <string_view>
#include <vector>

namespace headscope {

// The maximal runs of `text` that hold no white space, in order, as Python's str.split() gives them; views into `text`.
// Invalid bytes are part of a word.
std::vector<std::string_view> words_of(std::string_view text);

}  // namespace headscope
