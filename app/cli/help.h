// --help, written from the option tables.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"

namespace headscope::cli {

std::string program_help(const std::vector<CommandSpec>& commands);
std::string command_help(const CommandSpec& command);

}  // namespace headscope::cli
