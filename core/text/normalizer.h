// The steps that change a text before it is split: lower case, accents, Unicode's normal forms, blanks.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text/aligned_text.h"
#include "core/text/precompiled_map.h"
#include "core/text/sentence_piece_step.h"
#include "core/text/split_pattern.h"
#include "core/text/unicode.h"

namespace headscope {

// Each is named as in tokenizer.json.
struct LowercaseStep {};
struct StripAccentsStep {};  // removes every mark
struct ByteLevelStep {};     // replaces every byte by its letter of GPT-2's alphabet
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
  std::string text;  // what to search for, unless there is a pattern
  std::optional<SplitPattern> pattern;
  std::string content;
};
// Devlin et al. 2018, the released BasicTokenizer: removes control characters, turns blanks into ' ', puts blanks
// around Chinese characters, removes accents, lower case.
struct BertStep {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};

using NormalizerStep = std::variant<LowercaseStep, StripAccentsStep, ByteLevelStep, NmtStep, NormalFormStep, StripStep,
                                    PrependStep, ReplaceStep, BertStep, PrecompiledMap, SentencePieceStep>;
using Normalizer = std::vector<NormalizerStep>;  // one after the other

AlignedText normalized(AlignedText text, const Normalizer& normalizer);

}  // namespace headscope
