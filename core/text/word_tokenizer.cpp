#include "core/base/utf8.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

// Python's str.split() also parts at the four information separators, which are not White_Space.
bool splits_words(const CodePoint& point) {
  return point.valid && (is_space(point.value) || (point.value >= 0x1C && point.value <= 0x1F));
}

class WordTokenizer final : public Tokenizer {
 public:
  Tokens tokenize(std::string_view text) const override {
    Tokens tokens;
    std::size_t begin = 0;
    const auto end_word = [&](std::size_t end) {
      if (end > begin) {
        tokens.pieces.emplace_back(text.substr(begin, end - begin));
        tokens.offsets.push_back({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)});
        tokens.words.push_back(static_cast<std::int64_t>(tokens.words.size()));
      }
    };
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = code_point_at(text, at);
      const std::size_t next = at + static_cast<std::size_t>(point.bytes);
      if (splits_words(point)) {
        end_word(at);
        begin = next;
      }
      at = next;
    }
    end_word(text.size());
    return tokens;
  }
};

}  // namespace

std::unique_ptr<Tokenizer> make_word_tokenizer() {
  return std::make_unique<WordTokenizer>();
}

}  // namespace headscope
