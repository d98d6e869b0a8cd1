// What a shell offers after Tab, from the tables that --help is written from.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace headscope::cli {

// What may follow an option, read from its placeholder: the words of "csv|npy", files for "FILE.npy" or "DIR", both for
// "none|causal|padding:N|FILE.csv". Words with a number in them ("padding:N") and numbers are typed.
struct OptionValues {
  std::vector<std::string> words;
  bool files = false;
};
OptionValues values_of(const OptionSpec& option);

// Scripts that the shells read: for bash `complete -F`, for zsh a #compdef function, for fish lines of `complete`.
std::string bash_completion(const std::vector<CommandSpec>& commands);
std::string zsh_completion(const std::vector<CommandSpec>& commands);
std::string fish_completion(const std::vector<CommandSpec>& commands);

}  // namespace headscope::cli
