// A file in memory, and what happens to it when the file becomes shorter.
#pragma once

#include <cstddef>

namespace headscope::system {

// The first `size` bytes of an open file, to read; null and errno when refused. The descriptor may be closed.
const void* map_file(int descriptor, std::size_t size) noexcept;
void unmap_file(const void* data, std::size_t size) noexcept;

// Where the first byte at or after `offset` lies that the file system has stored; `size` when nothing follows, `offset`
// where the file system cannot tell.
std::size_t next_stored(int descriptor, std::size_t offset, std::size_t size) noexcept;

// From now on pages of [data, data + size) that the file has lost read as zeros, instead of ending the program. Returns
// a number for the calls below; -1 when no more can be guarded. Not from two threads at a time.
int guard_pages(const void* data, std::size_t size);
// Whether such a page was read.
bool pages_were_lost(int guarded) noexcept;
void forget_pages(int guarded) noexcept;

}  // namespace headscope::system
