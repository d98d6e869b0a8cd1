// What is drawn for the placeholder of an option. Internal to drawn_request.cpp.
#pragma once

#include <string>

#include "tests/core/attention/drawn_request.h"

namespace headscope {

// What a value is drawn from.
struct DrawnFrom {
  ui::Random& random;
  const RequestOption& option;
  const WalkKind& kind;
  const Trace* last = nullptr;  // or null
  const std::string& files;     // the folder
};

// A list of words of the kind, or of ids.
std::string drawn_text(const DrawnFrom& from);
std::string drawn_ids(const DrawnFrom& from);

// Any value that the option may have.
std::string drawn_value(const DrawnFrom& from);

}  // namespace headscope
