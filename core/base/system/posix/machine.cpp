#include "core/base/system/machine.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>
#include <thread>

namespace headscope::system {

namespace {

// The value of KEY=value or "key : value" of a small text file of the system; "" when it has none.
std::string value_in(const char* path, std::string_view key, char sign) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(sign);
    if (at == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", at + 1), last = line.find_last_not_of(" \t\"");
    if (first == std::string::npos) return "";
    return line.substr(first, last - first + 1);
  }
  return "";
}

double bytes_of_pages(int name) {
  return static_cast<double>(::sysconf(name)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::int64_t process_number() noexcept {
  return ::getpid();
}

bool process_runs(std::int64_t number) noexcept {
  if (number <= 0 || number > std::numeric_limits<pid_t>::max()) return false;
  return ::kill(static_cast<pid_t>(number), 0) == 0 || errno != ESRCH;
}

std::string machine_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string program_path() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

std::string system_name() {
  struct utsname name {};
  const bool known = ::uname(&name) == 0;
  const std::string distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  return fmt::format("{}{}", distribution.empty() ? "unknown" : distribution,
                     known ? fmt::format(", {} {} {}", name.sysname, name.release, name.machine) : "");
}

std::string processor_name() {
  return value_in("/proc/cpuinfo", "model name", ':');
}

unsigned usable_processors() noexcept {
  return std::thread::hardware_concurrency();
}

double memory_of_machine() noexcept {
  return bytes_of_pages(_SC_PHYS_PAGES);
}

double free_memory() noexcept {
  return bytes_of_pages(_SC_AVPHYS_PAGES);
}

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string home_of_user() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return home;
  const passwd* user = getpwuid(getuid());
  return user != nullptr && user->pw_dir != nullptr && user->pw_dir[0] == '/' ? user->pw_dir : "";
}

bool is_absolute_path(const std::string& path) {
  return path.starts_with('/');
}

std::vector<std::string> command_words(int argc, char** argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

std::optional<std::tm> local_time(std::time_t seconds) noexcept {
  std::tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return std::nullopt;
  return parts;
}

void end_at_once(int code) noexcept {
  ::_exit(code);
}

}  // namespace headscope::system
