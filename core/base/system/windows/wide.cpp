#include "core/base/system/windows/wide.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <cwchar>

// libstdc++ makes a std::filesystem::path of a text by this function of the C library, letter by letter. That of
// mingw-w64 knows no UTF-8; the linker (--wrap, in CMakeLists.txt) takes this one for it, which knows nothing else. A
// letter that takes two units of UTF-16 is given in two calls: the first takes all of its bytes but the last, and
// `state` keeps the second unit.
extern "C" std::size_t __wrap_mbrtowc(wchar_t* to, const char* from, std::size_t size, std::mbstate_t* state) {
  constexpr auto kWrong = static_cast<std::size_t>(-1), kTooShort = static_cast<std::size_t>(-2);
  static thread_local std::mbstate_t own{};
  std::mbstate_t& kept = state == nullptr ? own : *state;
  if (from == nullptr) {
    kept = {};
    return 0;
  }
  if (size == 0) return kTooShort;
  wchar_t second = 0;
  std::memcpy(&second, &kept, sizeof(second));
  if (second != 0) {
    kept = {};
    if (to != nullptr) *to = second;
    return 1;
  }
  const auto lead = static_cast<unsigned char>(*from);
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes > size) return kTooShort;
  std::array<wchar_t, 2> units{};
  if (bytes == 0 || ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, from, static_cast<int>(bytes), units.data(),
                                          static_cast<int>(units.size())) == 0) {
    errno = EILSEQ;
    return kWrong;
  }
  if (to != nullptr) *to = units[0];
  if (*from == '\0') return 0;
  if (units[1] == 0) return bytes;
  std::memcpy(&kept, &units[1], sizeof(wchar_t));
  return bytes - 1;
}

namespace headscope::system {

namespace {

constexpr std::size_t kLongestPlainPath = 240;  // folders may have 248 letters, files 260

struct Meaning {
  DWORD refusal;
  int error;
};
constexpr std::array kMeanings = {
    Meaning{ERROR_FILE_NOT_FOUND, ENOENT},      Meaning{ERROR_PATH_NOT_FOUND, ENOENT},
    Meaning{ERROR_INVALID_NAME, ENOENT},        Meaning{ERROR_BAD_NETPATH, ENOENT},
    Meaning{ERROR_INVALID_DRIVE, ENOENT},       Meaning{ERROR_BAD_PATHNAME, ENOENT},
    Meaning{ERROR_ACCESS_DENIED, EACCES},       Meaning{ERROR_SHARING_VIOLATION, EACCES},
    Meaning{ERROR_LOCK_VIOLATION, EACCES},      Meaning{ERROR_USER_MAPPED_FILE, EACCES},
    Meaning{ERROR_FILE_EXISTS, EEXIST},         Meaning{ERROR_ALREADY_EXISTS, EEXIST},
    Meaning{ERROR_DISK_FULL, ENOSPC},           Meaning{ERROR_HANDLE_DISK_FULL, ENOSPC},
    Meaning{ERROR_NOT_ENOUGH_MEMORY, ENOMEM},   Meaning{ERROR_OUTOFMEMORY, ENOMEM},
    Meaning{ERROR_TOO_MANY_OPEN_FILES, EMFILE}, Meaning{ERROR_WRITE_PROTECT, EROFS},
    Meaning{ERROR_BROKEN_PIPE, EPIPE},          Meaning{ERROR_NO_DATA, EPIPE},
    Meaning{ERROR_INVALID_HANDLE, EBADF},       Meaning{ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    Meaning{ERROR_NOT_SUPPORTED, ENOSYS},       Meaning{ERROR_INVALID_FUNCTION, ENOSYS},
};

}  // namespace

std::wstring wide(std::string_view utf8) {
  const auto size = static_cast<int>(utf8.size());
  std::wstring text(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, text.data(), static_cast<int>(text.size()));
  return text;
}

std::string narrow(std::wstring_view utf16) {
  const auto size = static_cast<int>(utf16.size());
  std::string text(
      static_cast<std::size_t>(::WideCharToMultiByte(CP_UTF8, 0, utf16.data(), size, nullptr, 0, nullptr, nullptr)),
      '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, utf16.data(), size, text.data(), static_cast<int>(text.size()), nullptr, nullptr);
  return text;
}

std::wstring wide_path(const std::string& path) {
  std::wstring plain = wide(path);
  if (plain.size() < kLongestPlainPath || plain.starts_with(L"\\\\")) return plain;
  const DWORD size = ::GetFullPathNameW(plain.c_str(), 0, nullptr, nullptr);
  std::wstring full(size, L'\0');
  full.resize(::GetFullPathNameW(plain.c_str(), size, full.data(), nullptr));
  return full.empty() ? plain : L"\\\\?\\" + full;
}

int refuse() noexcept {
  const DWORD refusal = ::GetLastError();
  const auto* const known =
      std::find_if(kMeanings.begin(), kMeanings.end(), [&](const Meaning& each) { return each.refusal == refusal; });
  errno = known == kMeanings.end() ? EIO : known->error;
  return -1;
}

}  // namespace headscope::system
