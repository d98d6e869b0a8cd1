// How a normalized text is split into the words that a model then spells with its vocabulary.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text/aligned_text.h"
#include "core/text/split_pattern.h"

namespace headscope {

// What happens to the matches: each becomes a word, is removed, neighbouring matches become one word, or a match joins
// the word before or after it.
enum class SplitBehavior { isolated, removed, contiguous, merged_with_previous, merged_with_next };

// Each is named as in tokenizer.json.
struct ByteLevelSplit {
  bool add_prefix_space = true;
  std::optional<SplitPattern> pattern;  // GPT-2's, unless use_regex is false
};
struct PatternSplit {
  std::string text;  // what to search for, unless there is a pattern
  std::optional<SplitPattern> pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;
};
struct WhitespaceSplit {};  // white space is left out
struct BertSplit {};        // white space is left out, every punctuation character is a word
struct PunctuationSplit {
  SplitBehavior behavior = SplitBehavior::isolated;
};
struct DigitsSplit {
  bool individual = false;
};
struct MetaspaceSplit {
  std::string replacement = "\xE2\x96\x81";
  enum class Prepend { always, first, never } prepend = Prepend::always;
  bool split = true;
};

using PreTokenizerStep = std::variant<ByteLevelSplit, PatternSplit, WhitespaceSplit, BertSplit, PunctuationSplit,
                                      DigitsSplit, MetaspaceSplit>;
using PreTokenizer = std::vector<PreTokenizerStep>;  // one after the other

// Splits every piece that is no added token; no piece is empty afterwards.
void pre_tokenize(PieceList& list, const PreTokenizer& steps);

}  // namespace headscope
