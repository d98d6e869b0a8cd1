// The manual page of headscope-cli, from the tables that --help is written from.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace headscope::cli {

// In the macros of man(7), UTF-8: every command with its own options and examples, and once, behind them, the groups of
// options that several commands share (REQUEST, VIEW).
std::string manual_page(const std::vector<CommandSpec>& commands);

}  // namespace headscope::cli
