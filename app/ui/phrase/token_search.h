// Finds tokens by their text. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::ui {

// The positions that `typed` names among `tokens`. A whole number is that position. Else words: the positions where
// these tokens follow each other; the last word may be incomplete ("white wh"). When there is no such place, tokens
// that contain the single word anywhere. Increasing; empty when there is none.
std::vector<std::int64_t> positions_named(const std::string& typed, const std::vector<std::string>& tokens);

}  // namespace headscope::ui
