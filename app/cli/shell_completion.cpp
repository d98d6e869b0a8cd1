#include "app/cli/shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "core/request/request_text.h"

namespace headscope::cli {

namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  }) && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

std::vector<OptionSpec> options_of(const CommandSpec& command) {
  std::vector<OptionSpec> options;
  for (const OptionGroup& group : command.groups) {
    options.insert(options.end(), group.options.begin(), group.options.end());
  }
  return options;
}

// The first sentence of a help text.
std::string first_sentence(const std::string& help) {
  const std::size_t end = help.find(". ");
  std::string text = help.substr(0, end);
  while (text.ends_with('.')) text.pop_back();
  return text;
}

std::vector<std::string> names_of_words(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands) names.push_back(command.name);
  return names;
}

// Inside the brackets of _arguments.
std::string zsh_help(const std::string& help) {
  std::string text;
  for (const char c : first_sentence(help)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string zsh_option(const OptionSpec& option) {
  std::string text = (option.repeatable ? "*--" : "--") + option.name + "[" + zsh_help(option.help) + "]";
  if (option.placeholder.empty()) return text;
  const OptionValues values = values_of(option);
  text += ":value:";
  if (values.files) return text + "_files";
  return values.words.empty() ? text : text + fmt::format("({})", fmt::join(values.words, " "));
}

}  // namespace

OptionValues values_of(const OptionSpec& option) {
  OptionValues values;
  std::string_view rest = option.placeholder;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("|[,]"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    for (const char* file : {"FILE", "DIR", "PATH", "FOLDER", "SESSION"}) {
      values.files = values.files || word.starts_with(file);
    }
    const bool known = std::find(values.words.begin(), values.words.end(), word) != values.words.end();
    if (is_word(word) && !known) values.words.emplace_back(word);
  }
  return values;
}

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  std::string text =
      "# bash completion of headscope-cli\n_headscope_cli() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} options=''\n"
      "  COMPREPLY=()\n  if ((COMP_CWORD == 1)); then\n";
  text += fmt::format("    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- \"$cur\")\n    return\n  fi\n",
                      fmt::join(names_of_words(commands), " "));
  text += "  case $command in\n";
  std::map<std::string, std::set<std::string>> cases;  // what follows an option, and the patterns of these options
  for (const CommandSpec& command : commands) {
    text += "    " + command.name + ") options='";
    for (const OptionSpec& option : options_of(command)) {
      text += "--" + option.name + " ";
      if (option.placeholder.empty()) continue;
      const OptionValues values = values_of(option);
      std::string call = values.words.empty() ? "" : fmt::format("-W '{}' ", fmt::join(values.words, " "));
      if (values.files) call += "-f ";
      cases[call].insert(fmt::format("{}:--{}", command.name, option.name));
    }
    text += "--help' ;;\n";
  }
  text += "  esac\n  case $command:$prev in\n";
  for (const auto& [call, patterns] : cases) {
    text += fmt::format("    {})\n", fmt::join(patterns, " | "));
    if (!call.empty()) text += fmt::format("      mapfile -t COMPREPLY < <(compgen {}-- \"$cur\")\n", call);
    text += "      return\n      ;;\n";
  }
  return text +
         "  esac\n  if [[ $cur == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n  fi\n}\n"
         "complete -o filenames -F _headscope_cli headscope-cli\n";
}

std::string zsh_completion(const std::vector<CommandSpec>& commands) {
  std::string text = "#compdef headscope-cli\nlocal -a commands\ncommands=(\n";
  for (const CommandSpec& command : commands) {
    text += "  " + shell_quoted(command.name + ":" + zsh_help(command.summary)) + "\n";
  }
  text +=
      ")\nif ((CURRENT == 2)); then\n  _describe command commands\n  _arguments '--help[say more]' "
      "'--version[say which]'\n  return\nfi\nlocal command=$words[2]\nshift words\n((CURRENT--))\ncase $command in\n";
  for (const CommandSpec& command : commands) {
    text += "  " + command.name + ")\n    _arguments";
    for (const OptionSpec& option : options_of(command)) text += " \\\n      " + shell_quoted(zsh_option(option));
    text += " \\\n      '--help[say more]'";
    if (!command.positional.empty()) text += command.several ? " '*:file:_files'" : " ':file:_files'";
    text += "\n    ;;\n";
  }
  return text + "esac\n";
}

std::string fish_completion(const std::vector<CommandSpec>& commands) {
  const std::string names = fmt::format("{}", fmt::join(names_of_words(commands), " "));
  std::string text = "# fish completion of headscope-cli\n";
  text += fmt::format("set -l commands {}\n", names);
  const std::string start = "complete -c headscope-cli -n \"not __fish_seen_subcommand_from $commands\" -f";
  for (const CommandSpec& command : commands) {
    text += fmt::format("{} -a {} -d {}\n", start, command.name, shell_quoted(first_sentence(command.summary)));
  }
  text += start + " -l help -d 'say more'\n" + start + " -l version -d 'say which'\n";
  for (const CommandSpec& command : commands) {
    for (const OptionSpec& option : options_of(command)) {
      const OptionValues values = values_of(option);
      text += fmt::format("complete -c headscope-cli -n '__fish_seen_subcommand_from {}' -l {} -d {}", command.name,
                          option.name, shell_quoted(first_sentence(option.help)));
      if (!option.placeholder.empty()) text += values.files ? " -r -F" : " -x";
      if (!values.words.empty()) text += fmt::format(" -a '{}'", fmt::join(values.words, " "));
      text += "\n";
    }
  }
  return text;
}

}  // namespace headscope::cli
