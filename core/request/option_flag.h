// Options of REQUEST that are flags.
#pragma once

#include "core/request/request_text.h"

namespace headscope {

// Whether its name alone says all on the command line: its placeholder is "", and its value, where it is given, "on".
inline bool is_flag(const RequestOption& option) {
  return *option.placeholder == '\0';
}

}  // namespace headscope
