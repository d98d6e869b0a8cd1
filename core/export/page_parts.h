// The style and the script of exported pages: assets/page/page.css and page.js, as they lie there.
#pragma once

#include <string_view>

namespace headscope {

std::string_view page_style();
std::string_view page_script();

}  // namespace headscope
