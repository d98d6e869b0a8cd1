// The character that stands for a blank in vocabularies of SentencePiece.
#pragma once

#include <string_view>

namespace headscope {

inline constexpr std::string_view kMetaspace = "\xE2\x96\x81";  // U+2581

}  // namespace headscope
