#include "core/request/request_text.h"

#include <algorithm>

#include "core/request/option_scope.h"

namespace headscope {

const RequestOption* find_request_option(std::string_view name) {
  for (const RequestOption& option : request_options()) {
    if (name == option.name) return &option;
  }
  return nullptr;
}

bool is_flag(const RequestOption& option) {
  return *option.placeholder == '\0';
}

bool is_given(const RequestOption& option, const Request& request) {
  if (!option.get(request).empty()) return true;
  const std::string_view name = option.name;
  return (name == "key-phrase" && request.key_phrase.has_value()) ||
         (name == "second-phrase" && request.second_phrase.has_value()) ||
         (name == "decoder-phrase" && request.decoder_phrase.has_value());
}

namespace {

void add_words(const RequestOption& option, const Request& request, std::vector<std::string>& words) {
  words.push_back(std::string("--") + option.name);
  if (!is_flag(option)) words.push_back(option.get(request));
}

}  // namespace

std::vector<std::string> command_line_of(const Request& request) {
  std::vector<std::string> words;
  for (const RequestOption& option : request_options()) {
    if (is_given(option, request)) add_words(option, request, words);
  }
  return words;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_command_of(const Request& request, std::string_view command) {
  std::vector<std::string> words;
  for (const RequestOption& option : request_options()) {
    if (is_given(option, request) && option.scope.acts_on(request)) add_words(option, request, words);
  }
  std::string line(command);
  for (const std::string& word : words) {
    line += ' ';
    line += shell_quoted(word);
  }
  return line;
}

}  // namespace headscope
