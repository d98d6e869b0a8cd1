// The descriptors 0, 1 and 2, which whoever starts a program may have closed.
#pragma once

#include <string_view>

#include "core/base/error.h"

namespace headscope {

// Opens those of the descriptors 0, 1 and 2 that are closed on /dev/null, the wrong way round: using one fails (EBADF)
// as using a closed one does, and no file that is opened later gets its number, so that no message is written into a
// user's file. A program calls it before it opens anything.
void open_standard_streams() noexcept;

// Writes to standard error what can be written there; a closed one, or a full disk behind it, is no reason to end.
void say_on_standard_error(std::string_view text) noexcept;

// Writes to standard output and flushes. Returns 0, or the errno of what failed: closed (EBADF), a full disk behind it
// (ENOSPC), a reader who left (EPIPE).
int say_on_standard_output(std::string_view text) noexcept;
// The sentence about such a failure.
Error no_standard_output(int failure);

}  // namespace headscope
