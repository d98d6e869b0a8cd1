// The font that the program carries, for machines where none is installed.
#pragma once

#include <string>

namespace headscope {

// A path under which the built-in font can be opened while the program runs, or "" when it was built without one
// (-DHEADSCOPE_BUILT_IN_FONT=FILE) or the system gives no memory for it. It has Latin, Greek and Cyrillic letters.
const std::string& built_in_font_path();

}  // namespace headscope
