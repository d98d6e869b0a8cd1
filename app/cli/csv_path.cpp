#include "app/cli/csv_path.h"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace headscope::cli {

std::string csv_path(const Arguments& given) {
  if (!given.has("out")) return "";
  const std::string path = given.get("out");
  if (path.size() > 4 && path.ends_with(".csv")) return path;
  throw UsageError("out", fmt::format("found '{}'", path), "FILE.csv");
}

void write_csv(const std::string& path, const std::function<std::string()>& text) {
  if (path.empty()) return;
  write_file_atomically(path, [&](std::ostream& out) { out << text(); });
}

}  // namespace headscope::cli
