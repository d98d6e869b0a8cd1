#include "app/session/session_paths.h"

#include <filesystem>
#include <system_error>

#include "core/io/files_read.h"
#include "core/request/request_files.h"

namespace headscope {

namespace {

void lead_from(const std::filesystem::path& folder, std::string& path) {
  if (path.empty() || std::filesystem::path(path).is_absolute()) return;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return;
  const std::filesystem::path beside = folder / path;
  if (std::filesystem::exists(beside, error)) path = beside.string();
}

void lead_from(const std::filesystem::path& folder, Request& request) {
  for (const auto field : kFileFields) lead_from(folder, request.*field);
  if (request.model != "seeded" && !request.model.starts_with("demo:")) lead_from(folder, request.model);
  for (MaskTerm& term : request.mask) lead_from(folder, term.path);
}

}  // namespace

SessionFile read_session_with_paths(const std::string& path) {
  SessionFile file = read_session(path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return file;
  lead_from(folder, file.request);
  if (file.against) lead_from(folder, *file.against);
  return file;
}

SessionFile read_own_session(const std::string& path) {
  const ReadingAs reading(ReadAs::session);
  return read_session_with_paths(path);
}

}  // namespace headscope
