// The program's version, as --version prints it and as every written file records it.
#pragma once

namespace headscope {

constexpr const char* kVersion = "1.1.0";

}  // namespace headscope
