#include "core/base/system/machine.h"

#include <fmt/format.h>
#include <windows.h>
// windows.h comes first.
#include <shellapi.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <thread>

#include "core/base/system/windows/wide.h"

namespace headscope::system {

namespace {

MEMORYSTATUSEX memory_status() noexcept {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  ::GlobalMemoryStatusEx(&status);
  return status;
}

// A text of the registry below HKEY_LOCAL_MACHINE; "" where there is none.
std::string registry_text(const wchar_t* key, const wchar_t* value) {
  std::array<wchar_t, 256> text{};
  DWORD bytes = sizeof(text);
  if (::RegGetValueW(HKEY_LOCAL_MACHINE, key, value, RRF_RT_REG_SZ, nullptr, text.data(), &bytes) != ERROR_SUCCESS) {
    return "";
  }
  return narrow(text.data());
}

}  // namespace

std::int64_t process_number() noexcept {
  return ::GetCurrentProcessId();
}

bool process_runs(std::int64_t number) noexcept {
  const HANDLE process = ::OpenProcess(SYNCHRONIZE, FALSE, static_cast<DWORD>(number));
  if (process == nullptr) return ::GetLastError() == ERROR_ACCESS_DENIED;
  const bool runs = ::WaitForSingleObject(process, 0) == WAIT_TIMEOUT;
  ::CloseHandle(process);
  return runs;
}

std::string machine_name() {
  std::array<wchar_t, 256> name{};
  auto size = static_cast<DWORD>(name.size());
  return ::GetComputerNameExW(ComputerNameDnsHostname, name.data(), &size) != 0 ? narrow(name.data()) : "";
}

std::string program_path() {
  std::array<wchar_t, 4096> path{};
  return narrow({path.data(), ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()))});
}

std::string system_name() {
  constexpr const wchar_t* kKey = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  const std::string product = registry_text(kKey, L"ProductName"), build = registry_text(kKey, L"CurrentBuildNumber");
  return fmt::format("{}{}", product.empty() ? "Windows" : product, build.empty() ? "" : ", build " + build);
}

std::string processor_name() {
  return registry_text(L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"ProcessorNameString");
}

unsigned usable_processors() noexcept {
  return std::thread::hardware_concurrency();
}

double memory_of_machine() noexcept {
  return static_cast<double>(memory_status().ullTotalPhys);
}

double free_memory() noexcept {
  return static_cast<double>(memory_status().ullAvailPhys);
}

std::optional<std::string> environment(const char* name) {
  const wchar_t* const value = ::_wgetenv(wide(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(narrow(value));
}

std::string home_of_user() {
  for (const char* const name : {"HOME", "USERPROFILE"}) {
    const std::optional<std::string> home = environment(name);
    if (home && is_absolute_path(*home)) return *home;
  }
  return "";
}

bool is_absolute_path(const std::string& path) {
  return std::filesystem::path(path).is_absolute();
}

// What main() is given is in an old code page that lacks most letters.
std::vector<std::string> command_words(int, char**) {
  int count = 0;
  LPWSTR* const all = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> words;
  for (int k = 1; all != nullptr && k < count; ++k) words.push_back(narrow(all[k]));
  ::LocalFree(all);
  return words;
}

std::optional<std::tm> local_time(std::time_t seconds) noexcept {
  std::tm parts{};
  if (::localtime_s(&parts, &seconds) != 0) return std::nullopt;
  return parts;
}

void end_at_once(int code) noexcept {
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(code));
  std::_Exit(code);
}

}  // namespace headscope::system
