#include "app/cli/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/version.h"

namespace headscope::cli {

namespace {

// `text` as roff takes it: a backslash and a hyphen are not its own, and no line begins a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string option_entry(const OptionSpec& option) {
  const std::string value = option.placeholder.empty() ? "" : " \\fI" + roff(option.placeholder) + "\\fR";
  return ".TP\n\\fB\\-\\-" + roff(option.name) + "\\fR" + value + "\n" + roff(option.help) + "\n";
}

std::string group_entries(const OptionGroup& group) {
  std::string text;
  for (const OptionSpec& option : group.options) text += option_entry(option);
  return text;
}

// Whether several commands have the group, so that it stands once behind them.
bool is_shared(const std::string& title) {
  return title == "REQUEST" || title == "VIEW";
}

std::string command_section(const CommandSpec& command) {
  std::string text = fmt::format(".SS {} {}\n{}\n", roff(command.name), roff(command.usage), roff(command.summary));
  std::string shared;
  for (const OptionGroup& group : command.groups) {
    if (is_shared(group.title)) {
      shared += (shared.empty() ? "" : " and ") + group.title;
    } else {
      text += group_entries(group);
    }
  }
  if (!shared.empty()) text += fmt::format(".PP\nAlso the options of {}, below.\n", shared);
  if (command.examples.empty()) return text;
  text += ".PP\n.EX\n";
  for (const std::string& example : command.examples) text += roff(example) + "\n";
  return text + ".EE\n";
}

// Each once, in the order in which commands name them.
std::string shared_sections(const std::vector<CommandSpec>& commands) {
  std::string text;
  std::vector<std::string> written;
  for (const CommandSpec& command : commands) {
    for (const OptionGroup& group : command.groups) {
      const bool known = std::find(written.begin(), written.end(), group.title) != written.end();
      if (known || !is_shared(group.title)) continue;
      written.push_back(group.title);
      text += fmt::format(".SH {}\n", roff(group.title)) + group_entries(group);
    }
  }
  return text;
}

}  // namespace

std::string manual_page(const std::vector<CommandSpec>& commands) {
  std::string text = fmt::format(".TH HEADSCOPE\\-CLI 1 \"\" \"headscope {}\" \"User Commands\"\n", kVersion);
  text +=
      ".SH NAME\nheadscope\\-cli \\- every tensor of multi\\-head attention, computed and written without a window\n"
      ".SH SYNOPSIS\n.B headscope\\-cli\n.I COMMAND\n.RI [ OPTIONS ]\n.br\n"
      ".B headscope\\-cli \\-\\-help\n|\n.B \\-\\-version\n|\n.I COMMAND\n.B \\-\\-help\n"
      ".SH DESCRIPTION\nThe engine of\n.BR headscope (1)\nwithout its window. A command computes a request, given by "
      "options or read from a session or picture, and prints or writes what is asked for. An existing file is replaced "
      "at once: written beside, then renamed.\n.SH COMMANDS\n";
  for (const CommandSpec& command : commands) text += command_section(command);
  text += shared_sections(commands);
  return text +
         ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nA bug of ours.\n.TP\n.B 2\nThe request cannot run; nothing was "
         "written.\n.TP\n.B 3\nA file is missing or malformed, or cannot be written; nothing half\\-written is left.\n"
         ".TP\n.B 128 + N\nEnded by signal N.\n"
         ".SH SEE ALSO\n.BR headscope (1)\n";
}

}  // namespace headscope::cli
