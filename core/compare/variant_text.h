// Texts about the contract's variants: the mistake in a sentence, the line of code that makes it, its effect on one
// request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/compare/variant_effect.h"

namespace headscope {

// "Scores are divided by √64, not by √8.", with the sizes of `trace`. Unknown names are asserted.
std::string variant_sentence(std::string_view name, const Trace& trace);

// One line of PyTorch. A mistake is made by the line that is `missing`, or by `wrong` in the place of `right`.
struct CodeLine {
  enum class Kind { plain, missing, right, wrong } kind = Kind::plain;
  std::string text;
};
// With the sizes of `trace` and the contract's names of tensors.
std::vector<CodeLine> variant_code(std::string_view name, const Trace& trace);

// One fact about the effect of the mistakes, and whether it is a warning.
struct Verdict {
  bool bad = false;
  std::string text;
};
// The facts to show beside `stage`, which both traces have; warnings first.
std::vector<Verdict> variant_verdicts(const Trace& right, const Trace& wrong, const VariantEffect& effect,
                                      StageId stage);

}  // namespace headscope
