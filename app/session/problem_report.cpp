#include "app/session/problem_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/session/settings.h"
#include "core/backend/kernels/targets.h"
#include "core/base/error.h"
#include "core/base/system/machine.h"
#include "core/base/version.h"
#include "core/io/atomic_file.h"
#include "core/picture/text/text_fonts.h"

namespace headscope {

namespace {

constexpr std::size_t kLargestCrash = std::size_t{1} << 18;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "another compiler";
#endif
}

std::string version_line(const OpenGlFacts&) {
  return fmt::format("Headscope {}, built by {}", kVersion, compiler());
}

std::string system_line(const OpenGlFacts&) {
  return system::system_name();
}

std::string processor_line(const OpenGlFacts&) {
  const std::string model = system::processor_name();
  return fmt::format("{}{} threads", model.empty() ? "" : model + ", ", system::usable_processors());
}

std::string simd_line(const OpenGlFacts&) {
  const std::vector<std::string> targets = kernel_targets();
  return targets.empty() ? "" : targets.front();
}

std::string memory_line(const OpenGlFacts&) {
  return fmt::format("{:.1f} GB, {:.1f} GB of it free", system::memory_of_machine() / 1e9, system::free_memory() / 1e9);
}

std::string opengl_line(const OpenGlFacts& opengl) {
  if (!opengl.failure.empty()) return "none: " + opengl.failure;
  return fmt::format("{}, {}, OpenGL {}", opengl.renderer, opengl.vendor, opengl.version);
}

std::string fonts_line(const OpenGlFacts&) {
  struct Role {
    const char* name;
    FontRole role;
  };
  if (draws_with_built_in_font()) return "none is installed; the built-in one is used";
  std::string text;
  for (const Role& each : {Role{"words", FontRole::words}, Role{"bold words", FontRole::words_bold},
                           Role{"numbers", FontRole::numbers}, Role{"bold numbers", FontRole::numbers_bold}}) {
    const FontFile file = font_file(each.role);
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", each.name, file.path.empty() ? "none" : file.path);
  }
  return text;
}

// A kept file, and whether it is there; a home folder's own name is left out.
std::string place_line(const std::string& path) {
  if (path.empty()) return "not kept: there is no home folder";
  std::error_code ignored;
  const char* there = std::filesystem::exists(path, ignored) ? "" : " (not there yet)";
  const char* home = std::getenv("HOME");
  const bool below_home = home != nullptr && *home != '\0' && path.starts_with(std::string(home) + "/");
  return fmt::format("{}{}{}", below_home ? "~" : "", path.substr(below_home ? std::string_view(home).size() : 0),
                     there);
}

std::string settings_line(const OpenGlFacts&) {
  const std::string folder = config_folder();
  return place_line(folder.empty() ? "" : folder + "/settings.json");
}

std::string session_line(const OpenGlFacts&) {
  return place_line(state_folder());
}

std::string crash_line(const OpenGlFacts&) {
  std::error_code ignored;
  const std::string path = last_crash_path();
  if (path.empty() || !std::filesystem::exists(path, ignored)) return "none";
  try {
    return read_small_file(path, kLargestCrash);
  } catch (const Error& error) {
    return error.what();
  }
}

struct Row {
  const char* key;
  const char* label;
  std::string (*value)(const OpenGlFacts&);
};
constexpr Row kRows[] = {
    {"version", "Version", version_line},
    {"system", "System", system_line},
    {"processor", "Processor", processor_line},
    {"simd", "Vector instructions", simd_line},
    {"memory", "Memory", memory_line},
    {"opengl", "OpenGL", opengl_line},
    {"fonts", "Fonts", fonts_line},
    {"settings", "Settings", settings_line},
    {"sessions", "Sessions", session_line},
    {"last_crash", "Last crash", crash_line},
};

}  // namespace

std::vector<ReportLine> problem_report(const OpenGlFacts& opengl) {
  std::vector<ReportLine> lines;
  for (const Row& row : kRows) {
    std::string value = row.value(opengl);
    while (value.ends_with('\n')) value.pop_back();
    lines.push_back({row.key, row.label, std::move(value)});
  }
  return lines;
}

std::string report_text(const std::vector<ReportLine>& lines) {
  std::string text;
  for (const ReportLine& line : lines) {
    text += line.label + ":";
    if (line.value.find('\n') == std::string::npos) {
      text += " " + line.value + "\n";
      continue;
    }
    std::string_view rest = line.value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      text += "\n  " + std::string(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    text += '\n';
  }
  return text;
}

std::string last_crash_path() {
  const std::string folder = state_folder();
  return folder.empty() ? "" : folder + "/last-crash.txt";
}

}  // namespace headscope
