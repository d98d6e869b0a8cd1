// What is said of a file that did not stay as it was while it was read.
#pragma once

#include <string>

#include "core/base/error.h"

namespace headscope {

inline Error changed_file_error(const std::string& path) {
  return Error(path +
               ": became shorter or was written to while it was read; expected a file that stays as it was opened, or "
               "one that is replaced by another: open it again");
}

}  // namespace headscope
