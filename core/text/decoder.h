// From pieces back to text.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text/split_pattern.h"

namespace headscope {

// Each is named as in tokenizer.json.
struct ByteLevelDecoder {};     // letters of GPT-2's alphabet to bytes, these to text
struct ByteFallbackDecoder {};  // "<0xE2>" to bytes, these to text
struct FuseDecoder {};          // all pieces to one
struct WordPieceDecoder {
  std::string prefix = "##";
  bool cleanup = true;  // no blank before . , ? ! and n't
};
struct MetaspaceDecoder {
  std::string replacement = "\xE2\x96\x81";
  bool leading_blank = false;  // keep the blank before the first word
};
struct ReplaceDecoder {
  std::string text;  // what to search for, unless there is a pattern
  std::optional<SplitPattern> pattern;
  std::string content;
};
struct StripDecoder {
  std::string content;  // one character: at most `start` copies are removed at a piece's beginning, `stop` at its end
  std::int64_t start = 0;
  std::int64_t stop = 0;
};
struct SuffixDecoder {  // "BPEDecoder"
  std::string suffix = "</w>";
};

using DecoderStep = std::variant<ByteLevelDecoder, ByteFallbackDecoder, FuseDecoder, WordPieceDecoder, MetaspaceDecoder,
                                 ReplaceDecoder, StripDecoder, SuffixDecoder>;
using Decoder = std::vector<DecoderStep>;  // one after the other

// The text of these pieces. Without any step: the pieces with a blank between them.
std::string decoded(std::vector<std::string> pieces, const Decoder& decoder);

}  // namespace headscope
