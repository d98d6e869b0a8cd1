// What is done to a text before it is split: lower case, accents, Unicode's normal forms, blanks.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text/aligned_text.h"
#include "core/text/precompiled_map.h"
#include "core/text/split_pattern.h"
#include "core/text/unicode.h"

namespace headscope {

// Each is named as in tokenizer.json.
struct LowercaseStep {};
struct StripAccentsStep {};  // leaves out every mark
struct ByteLevelStep {};     // every byte by its letter of GPT-2's alphabet
struct NmtStep {};           // SentencePiece's rule for control characters and odd blanks
struct NormalFormStep {
  NormalForm form = NormalForm::nfc;
};
struct StripStep {
  bool left = true;
  bool right = true;
};
struct PrependStep {
  std::string text;
};
struct ReplaceStep {
  std::string text;  // what to look for, unless there is a pattern
  std::optional<SplitPattern> pattern;
  std::string content;
};
// Devlin et al. 2018, the released BasicTokenizer: control characters out, blanks to ' ', blanks around Chinese
// characters, accents off, lower case.
struct BertStep {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};

using NormalizerStep = std::variant<LowercaseStep, StripAccentsStep, ByteLevelStep, NmtStep, NormalFormStep, StripStep,
                                    PrependStep, ReplaceStep, BertStep, PrecompiledMap>;
using Normalizer = std::vector<NormalizerStep>;  // one after the other

AlignedText normalized(AlignedText text, const Normalizer& normalizer);

}  // namespace headscope
