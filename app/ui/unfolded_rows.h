// The rows of the request that one changes seldom: each group is folded away until it is opened.
#pragma once

#include <map>
#include <string>

namespace headscope::ui {

struct UnfoldedRows {
  std::map<std::string, bool> open;  // by the name of the control that folds the group: "request/more"
};

}  // namespace headscope::ui
