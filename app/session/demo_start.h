// With what each shipped demo opens: words that it knows, and where its answer is seen.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/session/view_state.h"

namespace headscope {

struct DemoStart {
  const char* model;   // "demo:pronouns"
  const char* phrase;  // of the words that it was trained on
  std::int64_t head;   // of the last layer: the one that learned it
  Cell cell;           // of that head's weights: a query and what it attends to
};

// Null for anything but a demo that has a row.
const DemoStart* demo_start(std::string_view model);

}  // namespace headscope
