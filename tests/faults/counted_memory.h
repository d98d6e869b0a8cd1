// How much memory a piece of work asks for: this program has an operator new of its own that counts.
#pragma once

#include <cstddef>

namespace headscope::test {

// Bytes that were asked for since the program began, given back or not; of all threads. 0 under a sanitizer.
std::size_t bytes_asked_for();

}  // namespace headscope::test
