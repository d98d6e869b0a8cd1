#include "core/base/words.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

class WordTokenizer final : public Tokenizer {
 public:
  Tokens tokenize(std::string_view text) const override {
    Tokens tokens;
    for (const std::string_view word : words_of(text)) {
      const std::int64_t begin = word.data() - text.data();
      tokens.pieces.emplace_back(word);
      tokens.offsets.push_back({begin, begin + static_cast<std::int64_t>(word.size())});
      tokens.words.push_back(static_cast<std::int64_t>(tokens.words.size()));
    }
    return tokens;
  }
};

}  // namespace

std::unique_ptr<Tokenizer> make_word_tokenizer() {
  return std::make_unique<WordTokenizer>();
}

}  // namespace headscope
