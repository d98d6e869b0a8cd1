#include "app/cli/written_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "app/cli/output.h"

namespace headscope::cli {

std::string written_text(const std::string& folder, const std::vector<std::string>& names) {
  struct Group {
    std::string first, last;
    std::int64_t files = 0;
    double bytes = 0;
  };
  std::vector<Group> groups;
  double total = 0;
  for (const std::string& name : names) {
    const std::string stage = name.substr(0, name.find('.'));
    if (groups.empty() || groups.back().first.substr(0, groups.back().first.find('.')) != stage) {
      groups.push_back({name, name, 0, 0});
    }
    std::error_code error;
    const auto size = std::filesystem::file_size(std::filesystem::path(folder) / name, error);
    const double bytes = error ? 0 : static_cast<double>(size);
    groups.back().last = name;
    ++groups.back().files;
    groups.back().bytes += bytes;
    total += bytes;
  }
  std::vector<std::vector<std::string>> rows = {{"file", "size", ""}};
  for (const Group& group : groups) {
    const bool many = group.files > 1;
    rows.push_back({many ? group.first + " ... " + group.last : group.first, size_text(group.bytes),
                    many ? counted(group.files, "file") : ""});
  }
  return table_text({{}, {true}, {}}, rows) + fmt::format("written to {}: {}, {}\n", printable(folder),
                                                          counted(static_cast<std::int64_t>(names.size()), "file"),
                                                          size_text(total));
}

}  // namespace headscope::cli
