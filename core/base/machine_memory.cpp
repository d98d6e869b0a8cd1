#include "core/base/machine_memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace headscope {

std::int64_t machine_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::int64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemTotal:") return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace headscope
