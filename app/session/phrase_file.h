// A text file as a phrase.
#pragma once

#include <string>

namespace headscope {

// The text of a UTF-8 file, without a byte order mark. Throws Error when it cannot be read, is larger than 64 MiB, is
// not UTF-8 or holds a NUL.
std::string read_phrase_file(const std::string& path);

// Whether the name is that of a text file: .txt, .text or .md, in lower or upper case.
bool is_phrase_file(const std::string& path);

}  // namespace headscope
