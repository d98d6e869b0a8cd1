// How each name of tokenizer.ggml.pre splits a text. The words are those that Perl's matcher finds for the released
// tokenizers' expressions.
#include "core/text/gguf_pre_tokenizers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/byte_alphabet.h"
#include "core/text/tokenizer.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

// Letters of bytes alone and no merges: every word stays in its bytes.
std::shared_ptr<const Tokenizer> bytes_split_as(std::string_view pre) {
  std::vector<std::string> pieces;
  for (int byte = 0; byte < 256; ++byte) pieces.push_back(spelled_in_bytes(std::string(1, static_cast<char>(byte))));
  test::GgufWriter file;
  file.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", std::string(pre));
  file.texts("tokenizer.ggml.tokens", pieces).texts("tokenizer.ggml.merges", {});
  file.truth("tokenizer.ggml.add_bos_token", false);
  const test::IoFolder folder;
  test::write_bytes(folder.file("x.gguf"), file.bytes());
  return load_tokenizer(folder.file("x.gguf"));
}

std::vector<std::string> words_of(const Tokenizer& tokenizer, const std::string& text) {
  const Tokens tokens = tokenizer.tokenize(text);
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < tokens.ids.size(); ++k) {
    const bool last = k + 1 == tokens.ids.size() || tokens.words[k + 1] != tokens.words[k];
    if (!last) continue;
    const auto end = static_cast<std::size_t>(tokens.offsets[k].end);
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

struct Split {
  const char* pre;
  std::vector<std::vector<std::string>> words;  // those of a text, which is all of them joined
};

const std::vector<Split>& splits() {
  using Words = std::vector<std::string>;
  static const std::vector<Split> all = {
      {"gpt-4o",
       {Words{"Hello", "World's", " DON'T", " i", "Phone", "15", " ", "123", "456"},
        Words{"a", "/b", "//\n\n", " ", " x", " =", " foo", "(", "1", ".", "5", ");", "  "},
        Words{"na\u00EFve", " \u00DCn\u00EFcode", " e\u0301te", " \u01C5", " \u6F22\u5B57\u304B\uD55C"},
        Words{"I'LL", "'d", " we'Ve", "\t", " tabs", "\r\n", "and", "  ", " runs", " "}}},
      {"dbrx",
       {Words{"HelloWorld", "'s", " DON", "'T", " iPhone", "15", " ", "123", "456"},
        Words{"na\u00EFve", " e", "\u0301te", " \u6F22\u5B57\u304B"}, Words{"I", "'LL", "'d", " we", "'Ve"}}},
      {"seed-coder",
       {Words{"HelloWorld", "'s", " DON", "'T", " iPhone", "1", "5"},
        Words{"a", "/b", "//", "\n\n", " ", " x", " =", " foo", "(", "1"}}},
      {"deepseek-coder",
       {Words{"HelloWorld", "'", "s", " DON", "'", "T", " iPhone", "1", "5", " ", "1", "2"},
        Words{"a", "/", "b", "//", "\n", "\n", "  ", " x", " =", " foo", "(", "1", ".", "5", ");", "  "}}},
      {"deepseek-v3",
       {Words{"HelloWorld", "'s", " DON", "'T", " iPhone", "15", " ", "123", "456"},
        Words{" e\u0301te", " ", "\u6F22\u5B57\u304B", "\uD55C\uAE00", " text"},
        Words{"!word", " #", "tag", " $", "5", ",", "000", " (", "x", ")[", "y", "]", " ", " ..."}}},
  };
  return all;
}

TEST(GgufPreTokenizers, WordsAreThoseOfTheReleasedExpressions) {
  for (const Split& split : splits()) {
    const auto tokenizer = bytes_split_as(split.pre);
    for (const std::vector<std::string>& words : split.words) {
      std::string text;
      for (const std::string& word : words) text += word;
      EXPECT_EQ(words_of(*tokenizer, text), words) << split.pre << ": " << text;
    }
  }
}

TEST(GgufPreTokenizers, EveryRowReadsAndHasItsOwnName) {
  std::set<std::string_view> names;
  for (const GgufPreTokenizer& row : gguf_pre_tokenizers()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(bytes_split_as(row.name)->decode(bytes_split_as(row.name)->tokenize("ab 12").ids), "ab 12") << row.name;
  }
}

}  // namespace
}  // namespace headscope
