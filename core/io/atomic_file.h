// Files that appear whole or not at all.
#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace headscope {

// Calls `write` with a stream on a temporary file beside `path`, then flushes, syncs and renames it over `path`.
// When anything fails (also an exception out of `write`), the temporary file is removed, `path` is as it was, and
// Error names the path and the reason (the system's own words: "No space left on device").
void write_file_atomically(const std::string& path, const std::function<void(std::ostream&)>& write);

// Creates a folder with its parents; Error when that cannot be.
void make_folder(const std::string& path);

// A whole small file. Error when it is missing, is a folder, or holds more than `limit` bytes.
std::string read_small_file(const std::string& path, std::size_t limit);

}  // namespace headscope
