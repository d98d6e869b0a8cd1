// Files that become shorter while they are mapped: reading their lost pages must not end the program.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace headscope {

// While it lives, pages of [data, data + size) that the file has lost (SIGBUS) read as zeros, and check_mapped_files()
// says so. `data` begins on a page. Where 4096 mappings are guarded already, this one is not.
class MappingGuard {
 public:
  MappingGuard(const void* data, std::size_t size, std::string path);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

 private:
  int slot_ = -1;
};

// Throws Error that names a mapped file of which lost pages were read since the last call: results computed from it
// must not be shown. Each file is named once.
void check_mapped_files();

}  // namespace headscope
