#include "app/frame/crash_handler.h"

namespace headscope {

// The browser itself says why a page has stopped.
void install_crash_handler(const std::string&) {}

}  // namespace headscope
