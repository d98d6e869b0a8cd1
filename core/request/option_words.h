// Options that take one of a few words: what the tables of options share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace headscope {

// An option's name as a template argument, so that a plain function pointer knows it.
struct OptionName {
  char text[24] = {};
  template <std::size_t size>
  constexpr OptionName(const char (&literal)[size]) {  // NOLINT: implicit on purpose
    std::copy_n(literal, size, text);
  }
};

// A value and how it is spelled.
template <typename E>
struct Word {
  E value;
  const char* text;
};

// "transpose or direct"; "dark, light or system".
template <typename Words>
std::string expected_words(const Words& words) {
  std::string list;
  for (std::size_t i = 0; i < std::size(words); ++i) {
    list += i == 0 ? "" : i + 1 == std::size(words) ? " or " : ", ";
    list += words[i].text;
  }
  return list;
}

}  // namespace headscope
