// --out FILE.csv of commands that write one table.
#pragma once

#include <functional>
#include <string>

#include "app/cli/arguments.h"

namespace headscope::cli {

// The path; "" when --out was not given. UsageError for a name that does not end with .csv.
std::string csv_path(const Arguments& given);

// Writes the text there, atomically; nothing when the path is "". Error for files.
void write_csv(const std::string& path, const std::function<std::string()>& text);

}  // namespace headscope::cli
