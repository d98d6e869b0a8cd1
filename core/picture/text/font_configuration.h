// Where the system keeps its fonts, in fontconfig's own words.
#pragma once

namespace headscope {

// A configuration (XML) for a system that has none of fontconfig's; null where the system's own is read.
const char* font_configuration();

}  // namespace headscope
