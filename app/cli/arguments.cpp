#include "app/cli/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/error.h"

namespace headscope::cli {

namespace {

// Stands for "no limit" where the sizes of a result decide later: no text, model or layer has so many.
constexpr std::int64_t kAnyIndex = std::int64_t{1} << 60;
constexpr int kMostPositionals = 1 << 20;  // more than a command line holds

// CLI11 takes the next word as the value of `--phrase=`, so that an empty value must be a word of its own. The value
// of an option is never split, whatever it looks like.
std::vector<std::string> separate_values(const CommandSpec& command, const std::vector<std::string>& words) {
  std::vector<std::string> separated;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      separated.insert(separated.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (!word.starts_with("--")) {
      separated.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const OptionSpec* option = command.find(name);
    if (option == nullptr) {
      separated.push_back(word);
      continue;
    }
    separated.push_back("--" + name);
    const bool flag = option->placeholder.empty();
    if (equals != std::string::npos) {
      if (flag) throw UsageError(name, fmt::format("found the value '{}'", word.substr(equals + 1)), "none");
      separated.push_back(word.substr(equals + 1));
    } else if (!flag) {
      if (i + 1 == words.size()) {
        throw UsageError(name, "found nothing after it", option->placeholder);
      }
      separated.push_back(words[++i]);
    }
  }
  return separated;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

[[noreturn]] void refuse_word(const CommandSpec& command, const std::string& word,
                              const std::vector<CommandSpec>& others) {
  if (!word.starts_with('-') || word == "-" || word == "--") {
    throw UsageError(fmt::format("'{}': found where {} expects an option; {}", word, command.name,
                                 command.positional.empty() ? "a phrase of several words goes in quotes: --phrase 'a b'"
                                                            : "it takes one " + command.positional));
  }
  const std::string option = word.substr(0, word.find('='));
  const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  for (const CommandSpec& other : others) {
    if (other.find(name) == nullptr) continue;
    throw UsageError(fmt::format("{}: found for {}; expected an option of {}, this one belongs to {}", option,
                                 command.name, command.name, other.name));
  }
  std::vector<std::string> known;
  for (const OptionGroup& group : command.groups) {
    for (const OptionSpec& spec : group.options) known.push_back(spec.name);
  }
  const std::string nearest = nearest_name(name, known);
  throw UsageError(
      fmt::format("{}: found an option that {} does not have; expected {}one that 'headscope-cli {} --help' lists",
                  option, command.name, nearest.empty() ? "" : "--" + nearest + " or another ", command.name));
}

// Which of two values was meant cannot be known.
void refuse_second(const OptionSpec& spec, const CLI::Option& option) {
  if (option.count() < 2) return;
  if (spec.placeholder.empty()) throw UsageError(spec.name, "found twice", "once");
  throw UsageError(spec.name, fmt::format("found twice ('{}' and '{}')", option.results()[0], option.results()[1]),
                   spec.list ? "once, with commas between several" : "once");
}

}  // namespace

const OptionSpec* CommandSpec::find(std::string_view option) const {
  for (const OptionGroup& group : groups) {
    for (const OptionSpec& spec : group.options) {
      if (spec.name == option) return &spec;
    }
  }
  return nullptr;
}

std::string Arguments::get(const std::string& name, const std::string& otherwise) const {
  const auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

std::vector<std::string> Arguments::all(const std::string& name) const {
  const auto found = lists.find(name);
  return found == lists.end() ? std::vector<std::string>{} : found->second;
}

void Arguments::notice_with_result(const std::string& sentence) const {
  if (std::find(notices->begin(), notices->end(), sentence) == notices->end()) notices->push_back(sentence);
}

std::string nearest_name(std::string_view found, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t best = (found.size() <= 2 ? 1 : std::max<std::size_t>(2, found.size() / 3)) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(found, name);
    if (distance < best) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

Arguments parse_arguments(const CommandSpec& command, const std::vector<std::string>& words,
                          const std::vector<CommandSpec>& others) {
  CLI::App app(command.summary, command.name);
  app.allow_windows_style_options(false);  // a path may begin with /
  app.set_help_flag("-h,--help");
  app.allow_extras();
  const CLI::callback_t keep = [](const CLI::results_t&) { return true; };
  std::vector<std::pair<const OptionSpec*, CLI::Option*>> options;
  for (const OptionGroup& group : command.groups) {
    for (const OptionSpec& spec : group.options) {
      CLI::Option* option = app.add_option("--" + spec.name, keep);
      if (spec.placeholder.empty()) {
        option->expected(0)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      } else {
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
      }
      options.emplace_back(&spec, option);
    }
  }
  CLI::Option* positional = command.positional.empty() ? nullptr : app.add_option(command.positional, keep);
  if (command.several) positional->expected(1, kMostPositionals)->allow_extra_args();

  std::vector<std::string> reversed = separate_values(command, words);
  std::reverse(reversed.begin(), reversed.end());
  Arguments arguments;
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    arguments.help = true;
    return arguments;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (const std::vector<std::string> rest = app.remaining(); !rest.empty()) refuse_word(command, rest.front(), others);
  for (const auto& [spec, option] : options) {
    if (option->count() == 0) continue;
    if (!spec->repeatable) refuse_second(*spec, *option);
    arguments.values[spec->name] = spec->placeholder.empty() ? "on" : option->results().back();
    if (spec->repeatable) arguments.lists[spec->name] = option->results();
  }
  if (positional != nullptr && positional->count() != 0) {
    arguments.positionals = positional->results();
    arguments.positional = arguments.positionals.back();
  }
  return arguments;
}

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    // An index is compared later with the size of its axis, which is not known yet; the message names no limit.
    const bool open = high >= kAnyIndex;
    throw UsageError(
        option, fmt::format("found '{}'", text),
        open ? fmt::format("a whole number, {} or more", low) : fmt::format("a whole number from {} to {}", low, high));
  }
  return value;
}

double finite_number(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(option, fmt::format("found '{}'", text), "a finite number");
  }
  return value;
}

std::size_t choice_of(const std::string& option, const std::string& text, const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) {
    throw UsageError(option, fmt::format("found '{}'", text), fmt::format("{}", fmt::join(choices, ", ")));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace headscope::cli
