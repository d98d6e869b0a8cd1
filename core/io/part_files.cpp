#include "core/io/part_files.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>

#include "core/base/system/files.h"
#include "core/base/system/machine.h"

namespace headscope {

namespace {

constexpr std::string_view kBegin = ".headscope-", kEnd = ".part";

// Numbers of processes mean something on their own machine only: FNV-1a of its name.
std::uint32_t machine() {
  static const std::uint32_t hash = [] {
    std::uint32_t value = 2166136261U;
    for (const char c : system::machine_name()) value = (value ^ static_cast<unsigned char>(c)) * 16777619U;
    return value;
  }();
  return hash;
}

}  // namespace

std::string part_name(std::string_view kind) {
  static std::atomic<unsigned> counter{0};
  std::random_device random;
  return fmt::format("{}{:08x}-{}-{}-{:08x}{}{}", kBegin, machine(), system::process_number(), counter.fetch_add(1),
                     random(), kind, kEnd);
}

std::string temporary_beside(const std::string& path) {
  return (std::filesystem::path(folder_of(path)) / part_name()).string();
}

Error file_error(const std::string& path, int error) {
  return Error(fmt::format("{}: {}", path, std::strerror(error)));
}

bool is_part_name(std::string_view name) {
  return name.starts_with(kBegin) && name.ends_with(kEnd) && !system::leads_elsewhere(name) &&
         name.find('\0') == name.npos;
}

bool is_left_over(std::string_view name) {
  const std::string own = fmt::format("{}{:08x}-", kBegin, machine());
  if (!is_part_name(name) || !name.starts_with(own)) return false;
  const std::string_view rest = name.substr(own.size());
  std::int64_t process = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), process);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != '-' || process <= 0) return false;
  return !system::process_runs(process);
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace headscope
