// The program's version, as --version and every file say it.
#pragma once

namespace headscope {

constexpr const char* kVersion = "0.1.0";

}  // namespace headscope
