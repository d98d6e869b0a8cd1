// Files that an export has written are listed here as a table for the terminal.
#pragma once

#include <string>
#include <vector>

namespace headscope::cli {

// One line a file of the folder with its size; a stage of many slices is one line for all of them. Then the sum.
std::string written_text(const std::string& folder, const std::vector<std::string>& names);

}  // namespace headscope::cli
