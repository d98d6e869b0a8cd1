#include "app/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace headscope::cli {

namespace {

constexpr std::size_t kWidth = 100, kTextColumn = 34;

// Where the first word of `text` ends; what stands in brackets is one word.
std::size_t word_end(std::string_view text) {
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '[' ? 1 : text[k] == ']' ? -1 : 0;
    if (text[k] == ' ' && depth == 0) return k;
  }
  return text.size();
}

// `text` in lines that start at `column`; the first one continues at `at`.
std::string wrapped(std::string_view text, std::size_t column, std::size_t at) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = word_end(text);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (at > column && at + 1 + word.size() > kWidth) {
      result += '\n' + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      result += ' ';
      ++at;
    }
    result += word;
    at += word.size();
  }
  return result;
}

// "a|b|c" in lines that start at `column`, broken behind a bar.
std::string wrapped_words(std::string_view words, std::size_t column) {
  std::string result;
  std::size_t at = column;
  while (!words.empty()) {
    const std::size_t bar = words.find('|');
    const std::string_view next = bar == words.npos ? words : words.substr(0, bar + 1);
    if (at > column && at + next.size() > kWidth) {
      result += '\n' + std::string(column, ' ');
      at = column;
    }
    result += next;
    at += next.size();
    words.remove_prefix(next.size());
  }
  return result;
}

std::string option_help(const OptionSpec& option) {
  std::string line = "  --" + option.name;
  if (!option.placeholder.empty()) line += ' ' + wrapped_words(option.placeholder, line.size() + 1);
  if (line.size() + 2 > kTextColumn) {
    line += "\n" + std::string(kTextColumn, ' ');
  } else {
    line += std::string(kTextColumn - line.size(), ' ');
  }
  return line + wrapped(option.help, kTextColumn, kTextColumn) + "\n";
}

}  // namespace

std::string program_help(const std::vector<CommandSpec>& commands) {
  std::string text = "headscope-cli: every tensor of multi-head attention, computed and written without a window.\n\n";
  for (const CommandSpec& command : commands) {
    text += wrapped(fmt::format("headscope-cli {} {}", command.name, command.usage), 8, 0) + "\n";
    text += "    " + wrapped(command.summary, 4, 4) + "\n";
  }
  text +=
      "headscope-cli --help | --version | COMMAND --help\n\n"
      "Without --model a request is of demo:stories; with an option that only drawn weights have (--d-model, --seed,\n"
      "--batch ...) it is of random weights, which a notice says.\n\n"
      "Exit codes: 0 done; 2 the request cannot run, nothing was written; 3 a file is missing or malformed, or\n"
      "cannot be written; 1 a bug of ours.\n";
  return text;
}

std::string command_help(const CommandSpec& command) {
  std::string text = wrapped(fmt::format("headscope-cli {} {}", command.name, command.usage), 8, 0) + "\n\n" +
                     wrapped(command.summary, 0, 0) + "\n";
  for (const OptionGroup& group : command.groups) {
    text += "\n" + group.title + "\n";
    for (const OptionSpec& option : group.options) text += option_help(option);
  }
  if (!command.examples.empty()) text += "\nExamples\n";
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  return text;
}

}  // namespace headscope::cli
