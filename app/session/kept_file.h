// Files of ours that are kept between starts: read so that a broken one costs a sentence, written atomically.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace headscope {

// Far above what is ever written; a larger file is not ours.
inline constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

// Adds a sentence to others.
void add_sentence(std::string& notice, const std::string& sentence);

// Reads and parses a file. False when there is none or it cannot be used (`parse` threw): it is then renamed to
// *.broken and named in `notice`. Throws std::bad_alloc: a file that finds no memory stays where it is.
bool load_kept_file(const std::string& path, const std::function<void(const std::string&)>& parse, std::string& notice,
                    std::size_t most_bytes = kMostKeptBytes);

// Calls `write` with `folder`, made when it is missing; "" or why it could not be written. Never throws.
std::string save_kept_files(const std::string& folder, const std::function<void()>& write);

}  // namespace headscope
