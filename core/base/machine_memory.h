// How much memory the machine has.
#pragma once

#include <cstdint>

namespace headscope {

// Bytes of main memory, as /proc/meminfo says them; 0 where nothing says it.
std::int64_t machine_memory();

}  // namespace headscope
