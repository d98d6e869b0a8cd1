// What comes in through a pipe.
#pragma once

#include <string>

#include "core/base/cancel.h"

namespace headscope::cli {

// All bytes of standard input up to its end. Waits for them no longer than a Ctrl+C takes: throws Cancelled. Error when
// they cannot be read.
std::string text_of_standard_input(const CancelToken& cancel);

}  // namespace headscope::cli
