// Large pieces of memory, straight from the system.
#pragma once

#include <cstddef>

namespace headscope::system {

// `size` bytes, all 0, that begin where a page does; null when the system refuses. Linux is asked for its huge pages:
// memory is then zeroed 2 MiB at a time when it is first touched, which takes a third of the time of many small pages.
void* take_zeroed_pages(std::size_t size) noexcept;
// The whole piece goes back.
void give_back_pages(void* pages, std::size_t size) noexcept;

}  // namespace headscope::system
