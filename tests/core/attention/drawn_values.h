// Draws a value for the placeholder of an option. Internal to drawn_request.cpp.
#pragma once

#include <string>

#include "tests/core/attention/drawn_request.h"

namespace headscope {

// A value is drawn from all of this.
struct DrawnFrom {
  ui::Random& random;
  const RequestOption& option;
  const WalkKind& kind;
  const Trace* last = nullptr;  // or null
  const std::string& files;     // the folder
};

// Draws a list of words of the kind, or of ids.
std::string drawn_text(const DrawnFrom& from);
std::string drawn_ids(const DrawnFrom& from);

// Draws any value that the option may have.
std::string drawn_value(const DrawnFrom& from);

}  // namespace headscope
