// Sentences of the engine as the window says them: of its controls, not of options on a command line.
#pragma once

#include <string>
#include <string_view>

#include "core/request/problem.h"

namespace headscope {

// "either --weights or --kv-heads" as "either weights or kv_heads": options of a request or of a view under the names
// that their controls have. A sentence that quotes a command line ("headscope-cli ...") stays as it is.
std::string control_words(std::string_view sentence);
Problem control_words(Problem problem);

}  // namespace headscope
