#include "app/memory/returned_memory.h"

namespace headscope {

// The heap of Windows returns large blocks by itself.
void return_large_blocks() noexcept {}

}  // namespace headscope
