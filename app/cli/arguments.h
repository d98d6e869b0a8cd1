// The options that a command of headscope-cli accepts, and those that the user gave.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

struct OptionSpec {
  std::string name;         // "mask-order"
  std::string placeholder;  // "after-scale|before-scale"; "" for a flag
  std::string help;         // one sentence
  bool list = false;        // one value names several things, with commas between them
  bool repeatable = false;  // may be given several times: Arguments::all()
};

struct OptionGroup {
  std::string title;
  std::vector<OptionSpec> options;
};

struct CommandSpec {
  std::string name;        // "render"
  std::string usage;       // "REQUEST VIEW --out FILE.png"
  std::string summary;     // one sentence
  std::string positional;  // "PATH", or ""
  std::vector<OptionGroup> groups;
  std::vector<std::string> examples;
  bool several = false;  // the positional may be given several times: Arguments::positionals

  // Null when the command has no such option.
  const OptionSpec* find(std::string_view option) const;
};

struct Arguments {
  std::map<std::string, std::string> values;  // by option name, the last one of a repeatable option; flags hold "on"
  std::map<std::string, std::vector<std::string>> lists;  // of repeatable options
  std::string positional;                                 // the last one
  std::vector<std::string> positionals;                   // all, in the order given
  bool help = false;
  // Sentences of notice_with_result(); copies of the arguments share them.
  std::shared_ptr<std::vector<std::string>> notices = std::make_shared<std::vector<std::string>>();

  bool has(const std::string& name) const { return values.count(name) != 0; }
  // The value; `otherwise` when the option was not given.
  std::string get(const std::string& name, const std::string& otherwise = "") const;
  // Every value of a repeatable option, in the order given.
  std::vector<std::string> all(const std::string& name) const;
  // Keeps a sentence that run_command_line() prints as a notice once the command has succeeded, each sentence once: a
  // command that is refused after all says its error alone.
  void notice_with_result(const std::string& sentence) const;
};

// Reads the words after the command's name. Throws UsageError that names the option, what was found and what was
// expected: also for an option that is given twice and is not repeatable. `others` are the other commands, for a hint
// when one of them has the option.
Arguments parse_arguments(const CommandSpec& command, const std::vector<std::string>& words,
                          const std::vector<CommandSpec>& others);

// The known name that `found` is most likely a typing error of; "" when none is near.
std::string nearest_name(std::string_view found, const std::vector<std::string>& known);

// A whole number of at least `low`, `high` at most. Throws UsageError naming the option.
std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low, std::int64_t high);
// A finite decimal number.
double finite_number(const std::string& option, const std::string& text);
// One of `choices`; throws UsageError that lists them.
std::size_t choice_of(const std::string& option, const std::string& text, const std::vector<std::string>& choices);

}  // namespace headscope::cli
