#include "core/model/demo_checkpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/system/machine.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

// An installation may be moved as a whole, so that what lies beside the program comes before paths known at build time.
std::vector<fs::path> demo_roots() {
  std::vector<fs::path> roots;
  const fs::path program = system::program_path();
  if (!program.empty()) roots.push_back(program.parent_path().parent_path() / "share/headscope/demos");
  roots.emplace_back(HEADSCOPE_SOURCE_DEMOS);
  roots.emplace_back(HEADSCOPE_INSTALLED_DEMOS);
  return roots;
}

bool holds_checkpoint(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "config.json", error);
}

}  // namespace

std::vector<std::string> demo_names() {
  std::vector<std::string> names;
  for (const fs::path& root : demo_roots()) {
    std::error_code error;
    for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
      if (holds_checkpoint(at->path())) names.push_back(at->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string demo_folder(std::string_view name) {
  const std::vector<std::string> names = demo_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    for (const fs::path& root : demo_roots()) {
      if (holds_checkpoint(root / name)) return (root / name).string();
    }
  }
  throw UsageError(fmt::format("demo:{} is no demo of this version; expected {}", shortened(name),
                               names.empty() ? std::string("none: no demos are installed")
                                             : fmt::format("demo:{}", fmt::join(names, ", demo:"))));
}

}  // namespace headscope
