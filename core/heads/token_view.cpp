#include "core/heads/token_view.h"

namespace headscope {

std::string token_view_sentence(const TokenView& view) {
  std::string sentence;
  if (view.hide_special || view.hide_first) {
    sentence = view.hide_special && view.hide_first ? "columns of special tokens and of the first token hidden"
               : view.hide_special                  ? "columns of special tokens hidden"
                                                    : "column of the first token hidden";
    sentence += view.renormalize ? ", rows renormalised" : ", rows not renormalised";
  }
  if (view.merge_words) {
    sentence += sentence.empty() ? "" : "; ";
    sentence += "pieces of a word: sum over keys, mean over queries";
  }
  return sentence;
}

}  // namespace headscope
