#include "core/base/assert.h"

namespace headscope {

void report_bug(const char* condition, const char* file, int line, const std::string& detail) {
  throw Bug(std::string("this is a bug in headscope: ") + file + ":" + std::to_string(line) + ": " + condition +
            " does not hold: " + detail);
}

}  // namespace headscope
