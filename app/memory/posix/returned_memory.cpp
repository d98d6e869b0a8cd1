#include "app/memory/returned_memory.h"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope {

void return_large_blocks() noexcept {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMappedBlock));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * kMappedBlock));
#endif
}

}  // namespace headscope
