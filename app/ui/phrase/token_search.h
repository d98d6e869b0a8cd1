// Finding tokens by what they say. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::ui {

// The positions that `typed` names among `tokens`: a whole number is that position; else words: where they stand one
// after the other, the last one only begun ("white wh"). When no token begins so, tokens that hold the one word
// anywhere. Increasing; empty when there is none.
std::vector<std::int64_t> positions_named(const std::string& typed, const std::vector<std::string>& tokens);

}  // namespace headscope::ui
