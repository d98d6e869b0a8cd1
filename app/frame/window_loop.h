// The window from its first frame to its last.
#pragma once

#include <chrono>

#include "app/frame/options.h"

namespace headscope {

// Opens the window and returns when the user closes it. `started` is when the program began. Throws Error.
void run_window(const Options& options, std::chrono::steady_clock::time_point started);

}  // namespace headscope
