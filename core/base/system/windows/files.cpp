#include "core/base/system/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "core/base/system/machine.h"
#include "core/base/system/windows/wide.h"

namespace headscope::system {

namespace {

constexpr std::int64_t kTicksASecond = 10'000'000;                  // of 100 ns
constexpr std::int64_t kTicksBefore1970 = 116'444'736'000'000'000;  // since 1601
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

HANDLE handle_of(int descriptor) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
}

EntryKind kind_of(DWORD attributes) {
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return EntryKind::folder;
  return (attributes & FILE_ATTRIBUTE_DEVICE) != 0 ? EntryKind::other : EntryKind::regular;
}

EntryFacts facts_from(DWORD attributes, const FILETIME& written, DWORD high, DWORD low) {
  EntryFacts facts;
  facts.kind = kind_of(attributes);
  facts.size = (static_cast<std::uint64_t>(high) << 32) | low;
  const std::int64_t ticks =
      static_cast<std::int64_t>((static_cast<std::uint64_t>(written.dwHighDateTime) << 32) | written.dwLowDateTime) -
      kTicksBefore1970;
  facts.seconds = ticks / kTicksASecond;
  facts.nanoseconds = ticks % kTicksASecond * 100;
  facts.mode = (attributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0444 : 0666;
  return facts;
}

EntryFacts facts_from(const BY_HANDLE_FILE_INFORMATION& known) {
  EntryFacts facts = facts_from(known.dwFileAttributes, known.ftLastWriteTime, known.nFileSizeHigh, known.nFileSizeLow);
  facts.device = known.dwVolumeSerialNumber;
  facts.number = (static_cast<std::uint64_t>(known.nFileIndexHigh) << 32) | known.nFileIndexLow;
  return facts;
}

struct Way {
  DWORD access, creation;
  int flags;
};
Way way_of(Opening how) {
  switch (how) {
    case Opening::read:
    case Opening::read_at_once:
      return {GENERIC_READ, OPEN_EXISTING, _O_RDONLY};
    case Opening::create:
      return {GENERIC_WRITE, CREATE_NEW, _O_WRONLY};
    case Opening::write_at_once:
      return {GENERIC_WRITE, OPEN_EXISTING, _O_WRONLY};
    case Opening::create_or_keep:
      return {GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, _O_RDWR};
  }
  return {GENERIC_READ, OPEN_EXISTING, _O_RDONLY};
}

int descriptor_of(HANDLE handle, int flags) {
  const int descriptor = ::_open_osfhandle(reinterpret_cast<std::intptr_t>(handle), flags | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) ::CloseHandle(handle);
  return descriptor;
}

std::wstring temporary_folder() {
  std::array<wchar_t, MAX_PATH + 2> folder{};
  return {folder.data(), ::GetTempPathW(static_cast<DWORD>(folder.size()), folder.data())};
}

std::wstring temporary_path(const char* name) {
  return temporary_folder() + wide(fmt::format("{}-{}-{:x}.tmp", name, process_number(), ::GetTickCount64()));
}

// Of path_of_bytes(): removed when the program ends.
std::wstring& kept_bytes() {
  static std::wstring& path = *new std::wstring;
  return path;
}

}  // namespace

std::optional<EntryFacts> facts_of(const std::string& path) {
  const HANDLE handle = ::CreateFileW(wide_path(path).c_str(), FILE_READ_ATTRIBUTES, kShared, nullptr, OPEN_EXISTING,
                                      FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    refuse();
    return std::nullopt;
  }
  BY_HANDLE_FILE_INFORMATION known{};
  const DWORD type = ::GetFileType(handle);
  const bool told = ::GetFileInformationByHandle(handle, &known) != 0;
  ::CloseHandle(handle);
  if (type == FILE_TYPE_PIPE) return EntryFacts{.kind = EntryKind::pipe};
  if (type != FILE_TYPE_DISK || !told) return EntryFacts{};
  return facts_from(known);
}

std::optional<EntryFacts> facts_of_entry(const std::string& path) {
  WIN32_FILE_ATTRIBUTE_DATA known{};
  if (::GetFileAttributesExW(wide_path(path).c_str(), GetFileExInfoStandard, &known) == 0) {
    refuse();
    return std::nullopt;
  }
  EntryFacts facts = facts_from(known.dwFileAttributes, known.ftLastWriteTime, known.nFileSizeHigh, known.nFileSizeLow);
  if ((known.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) facts.kind = EntryKind::other;
  return facts;
}

std::optional<EntryFacts> facts_of(int descriptor) {
  const HANDLE handle = handle_of(descriptor);
  const DWORD type = ::GetFileType(handle);
  if (type == FILE_TYPE_PIPE) return EntryFacts{.kind = EntryKind::pipe};
  if (type != FILE_TYPE_DISK) return EntryFacts{};
  BY_HANDLE_FILE_INFORMATION known{};
  if (::GetFileInformationByHandle(handle, &known) == 0) {
    refuse();
    return std::nullopt;
  }
  return facts_from(known);
}

int open_file(const std::string& path, Opening how) noexcept {
  const Way way = way_of(how);
  const std::wstring name = wide_path(path);
  const HANDLE handle =
      ::CreateFileW(name.c_str(), way.access, kShared, nullptr, way.creation, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle != INVALID_HANDLE_VALUE) return descriptor_of(handle, way.flags);
  refuse();
  const DWORD attributes = ::GetFileAttributesW(name.c_str());
  if (errno == EACCES && attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    errno = EISDIR;
  }
  return -1;
}

void wait_again(int) noexcept {}

int close_file(int descriptor) noexcept {
  return ::_close(descriptor) == 0 ? 0 : errno;
}

std::ptrdiff_t read_some(int descriptor, void* to, std::size_t size) noexcept {
  return ::_read(descriptor, to, static_cast<unsigned>(std::min(size, kMostAtOnce)));
}

std::ptrdiff_t write_some(int descriptor, const void* from, std::size_t size) noexcept {
  return ::_write(descriptor, from, static_cast<unsigned>(std::min(size, kMostAtOnce)));
}

bool to_beginning(int descriptor) noexcept {
  return ::_lseeki64(descriptor, 0, SEEK_SET) == 0;
}

// A file that is replaced may be written to, or it would have been refused; the rest lies in its folder's rights.
void set_mode(int, unsigned) noexcept {}

int sync_file(int descriptor) noexcept {
  if (::FlushFileBuffers(handle_of(descriptor)) != 0) return 0;
  refuse();
  return errno == EBADF || errno == ENOSYS ? 0 : errno;
}

bool syncs_whole_file_systems() noexcept {
  return false;
}

// It was opened to read, which Windows does not flush; what is renamed is written through (rename_file).
int sync_file_system_of(int) noexcept {
  return 0;
}

void sync_folder(const std::string&) noexcept {}

bool may_write(const std::string& path) noexcept {
  const DWORD attributes = ::GetFileAttributesW(wide_path(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return refuse() == 0;
  if ((attributes & FILE_ATTRIBUTE_READONLY) == 0) return true;
  errno = EACCES;
  return false;
}

bool may_run(const std::string& path) noexcept {
  return ::GetFileAttributesW(wide_path(path).c_str()) != INVALID_FILE_ATTRIBUTES || refuse() == 0;
}

// A file that a program has mapped cannot be replaced: Windows refuses it ("Permission denied").
bool rename_file(const std::string& from, const std::string& to) noexcept {
  return ::MoveFileExW(wide_path(from).c_str(), wide_path(to).c_str(),
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0 ||
         refuse() == 0;
}

bool link_file(const std::string& from, const std::string& to) noexcept {
  return ::CreateHardLinkW(wide_path(to).c_str(), wide_path(from).c_str(), nullptr) != 0 || refuse() == 0;
}

bool remove_file(const std::string& path) noexcept {
  return ::DeleteFileW(wide_path(path).c_str()) != 0 || refuse() == 0;
}

bool empty_file(const std::string& path) noexcept {
  const HANDLE handle = ::CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, kShared, nullptr, TRUNCATE_EXISTING,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return refuse() == 0;
  ::CloseHandle(handle);
  return true;
}

bool lock_file(int descriptor) noexcept {
  OVERLAPPED whole{};
  return ::LockFileEx(handle_of(descriptor), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &whole) !=
             0 ||
         refuse() == 0;
}

bool leads_elsewhere(std::string_view name) noexcept {
  return name.find_first_of("/\\:") != name.npos;
}

int unnamed_file(const char* name) noexcept {
  const HANDLE handle = ::CreateFileW(temporary_path(name).c_str(), GENERIC_READ | GENERIC_WRITE, kShared, nullptr,
                                      CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  return handle == INVALID_HANDLE_VALUE ? refuse() : descriptor_of(handle, _O_RDWR);
}

std::string path_of_bytes(const char* name, std::span<const char> bytes) {
  const std::wstring path = temporary_path(name);
  const HANDLE handle =
      ::CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return "";
  DWORD written = 0;
  const bool whole = ::WriteFile(handle, bytes.data(), static_cast<DWORD>(bytes.size()), &written, nullptr) != 0 &&
                     written == bytes.size();
  ::CloseHandle(handle);
  if (!whole) {
    ::DeleteFileW(path.c_str());
    return "";
  }
  kept_bytes() = path;
  std::atexit([] { ::DeleteFileW(kept_bytes().c_str()); });
  return narrow(path);
}

}  // namespace headscope::system
