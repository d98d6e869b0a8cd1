#include "core/base/system/memory_map.h"

#include <io.h>
#include <windows.h>

#include "core/base/system/windows/wide.h"

namespace headscope::system {

const void* map_file(int descriptor, std::size_t) noexcept {
  const HANDLE mapping = ::CreateFileMappingW(reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)), nullptr,
                                              PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) {
    refuse();
    return nullptr;
  }
  const void* const data = ::MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  if (data == nullptr) refuse();
  ::CloseHandle(mapping);  // the view keeps it
  return data;
}

void unmap_file(const void* data, std::size_t) noexcept {
  ::UnmapViewOfFile(data);
}

std::size_t next_stored(int, std::size_t offset, std::size_t) noexcept {
  return offset;
}

// Windows refuses to make a file shorter while it is mapped (ERROR_USER_MAPPED_FILE): no page is ever lost.
int guard_pages(const void*, std::size_t) {
  return 0;
}

bool pages_were_lost(int) noexcept {
  return false;
}

void forget_pages(int) noexcept {}

}  // namespace headscope::system
