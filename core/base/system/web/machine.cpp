#include "core/base/system/machine.h"

#include <emscripten/heap.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace headscope::system {

std::int64_t process_number() noexcept {
  return ::getpid();
}

bool process_runs(std::int64_t number) noexcept {
  return number == process_number();
}

std::string machine_name() {
  return "browser";
}

// In the file system of the page, where the demos lie as they do beside an installed program.
std::string program_path() {
  return "/headscope/bin/headscope";
}

std::string system_name() {
  return "WebAssembly";
}

std::string processor_name() {
  return "";
}

unsigned usable_processors() noexcept {
  return 1;
}

double memory_of_machine() noexcept {
  return static_cast<double>(emscripten_get_heap_max());
}

double free_memory() noexcept {
  return memory_of_machine() - static_cast<double>(reinterpret_cast<std::size_t>(::sbrk(0)));
}

std::optional<std::string> environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string home_of_user() {
  const char* const home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? home : "";
}

bool is_absolute_path(const std::string& path) {
  return path.starts_with('/');
}

std::vector<std::string> command_words(int argc, char** argv) {
  return {argv + std::min(argc, 1), argv + argc};
}

std::optional<std::tm> local_time(std::time_t seconds) noexcept {
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return std::nullopt;
  return parts;
}

void end_at_once(int code) noexcept {
  ::_exit(code);
}

}  // namespace headscope::system
