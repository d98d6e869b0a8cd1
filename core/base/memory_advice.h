// What would work where memory is missing.
#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

// Whoever opens a file says how large it is. One of a gigabyte or more is the likely reason where memory is missing;
// the last such file is kept, the first 1,000 bytes of its path. Smaller ones change nothing.
void note_large_file(std::string_view path, std::uint64_t bytes) noexcept;
// "" where none was noted. Valid until the next note.
const char* large_file_in_use() noexcept;

// What would work, as the end of a sentence: of weights that fill the memory something else than of a long phrase.
// Takes no memory.
const char* memory_advice() noexcept;

}  // namespace headscope
