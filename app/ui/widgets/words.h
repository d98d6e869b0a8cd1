// Words to be shown: those of the program in the language of the window, those of others as they are.
#pragma once

#include <string>
#include <string_view>

namespace headscope::ui {

// A text, and whose words it has. Without a word of whose, sentences (in the types for words) are the program's, which
// are shown in the window's language, and what stands in a monospaced type (tokens, names of stages, code, numbers) is
// shown as it is.
struct Words {
  std::string_view text;
  enum class Whose { by_type, ours, given } whose = Whose::by_type;
  Words(std::string_view words) : text(words) {}    // NOLINT(google-explicit-constructor): every text is words
  Words(const std::string& words) : text(words) {}  // NOLINT(google-explicit-constructor)
  Words(const char* words) : text(words) {}         // NOLINT(google-explicit-constructor)
};

// What the user, a file or a vocabulary has written: a token, the name of a file, a number, or what has been
// translated.
inline Words given(std::string_view text) {
  Words words(text);
  words.whose = Words::Whose::given;
  return words;
}

// Words of the program in a monospaced type.
inline Words ours(std::string_view text) {
  Words words(text);
  words.whose = Words::Whose::ours;
  return words;
}

}  // namespace headscope::ui
