#include "app/session/control_words.h"

#include <algorithm>
#include <cstddef>

#include "core/picture/view_options.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

bool has_a_control(const std::string& option) {
  return find_request_option(option) != nullptr || find_view_option(option) != nullptr;
}

// Whether the option behind these words belongs to a program that they name, as in "llama-gguf-split --merge".
bool ends_with_a_program(std::string_view words) {
  if (!words.ends_with(' ')) return false;
  words.remove_suffix(1);
  const std::string_view last = words.substr(words.find_last_of(' ') + 1);
  return !last.starts_with('-') && last.find('-') != last.npos && std::all_of(last.begin(), last.end(), is_of_a_name);
}

}  // namespace

std::string control_words(std::string_view sentence) {
  if (sentence.find("headscope-cli") != sentence.npos) return std::string(sentence);
  std::string words;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t dashes = sentence.find("--", at);
    if (dashes == sentence.npos) {
      words += sentence.substr(at);
      break;
    }
    std::size_t end = dashes + 2;
    while (end < sentence.size() && is_of_a_name(sentence[end])) ++end;
    std::string name(sentence.substr(dashes + 2, end - dashes - 2));
    const bool begins_a_word = dashes == 0 || !is_of_a_name(sentence[dashes - 1]);
    const bool of_a_program = ends_with_a_program(sentence.substr(0, dashes));
    words += sentence.substr(at, dashes - at);
    if (begins_a_word && !of_a_program && has_a_control(name)) {
      std::replace(name.begin(), name.end(), '-', '_');
      words += name;
    } else {
      words += sentence.substr(dashes, end - dashes);
    }
    at = end;
  }
  return words;
}

Problem control_words(Problem problem) {
  problem.title = control_words(problem.title);
  problem.detail = control_words(problem.detail);
  return problem;
}

}  // namespace headscope
