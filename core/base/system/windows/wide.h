// UTF-8 and the UTF-16 of Windows, and what its refusals mean. Internal to core/base/system/windows.
#pragma once

#include <string>
#include <string_view>

namespace headscope::system {

// Bytes that are no UTF-8 become U+FFFD.
std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view utf16);
// A path for the calls of Windows: one that is too long for them otherwise is absolute and begins with \\?\.
std::wstring wide_path(const std::string& path);

// Sets errno to what GetLastError() means. Returns -1.
int refuse() noexcept;

}  // namespace headscope::system
