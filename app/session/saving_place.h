// Where a session can be saved when the program's own folder refuses.
#pragma once

#include <string>
#include <vector>

namespace headscope {

// Folders that a user might save to: that of exports, home, the current one, that of temporary files; without doubles.
std::vector<std::string> saving_places();

// The first of the folders that takes a file of some size: it is written, synced and removed again, under no name that
// stays. "" when none does.
std::string first_that_takes_files(const std::vector<std::string>& folders);

}  // namespace headscope
