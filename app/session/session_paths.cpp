#include "app/session/session_paths.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/io/files_read.h"
#include "core/request/intervention_kinds.h"
#include "core/request/model_text.h"
#include "core/request/patch_source.h"
#include "core/request/request_files.h"

namespace headscope {

namespace {

using ChangePath = std::function<void(std::string&)>;

constexpr const char* kCarried = "the request that --patch takes numbers from";

// Calls `change` with every path of the request that is given, and those of A of its patches that it carries.
void for_each_path(Request& request, const ChangePath& change) {
  const auto visit = [&](std::string& path) {
    if (!path.empty()) change(path);
  };
  const bool carries = carries_source(request);
  for (const auto field : kFileFields) {
    if (!carries || field != &Request::patch_from) visit(request.*field);
  }
  ModelText model = model_text_of(request.model);
  if (model.base != "seeded" && !model.base.starts_with("demo:")) visit(model.base);
  for (AdapterUse& adapter : model.adapters) visit(adapter.folder);
  request.model = text_of(model);
  for (MaskTerm& term : request.mask) visit(term.path);
  visit_arrays(request, [&](const auto&, StageArray& array) { visit(array.file); });
  if (!carries) return;
  try {
    Request source = parse_session(request.patch_from, kCarried).request;
    for_each_path(source, change);
    request.patch_from = request_json(source);
  } catch (const Error&) {
    // Who runs it says what is wrong with it.
  }
}

void lead_from(const std::filesystem::path& folder, std::string& path) {
  std::error_code error;
  if (std::filesystem::path(path).is_absolute() || std::filesystem::exists(path, error)) return;
  const std::filesystem::path beside = folder / path;
  if (std::filesystem::exists(beside, error)) path = beside.string();
}

void lead_from(const std::filesystem::path& folder, Request& request) {
  for_each_path(request, [&](std::string& path) { lead_from(folder, path); });
}

}  // namespace

namespace {

SessionFile read_led(const std::string& path) {
  SessionFile file = read_session(path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return file;
  lead_from(folder, file.request);
  if (file.against) lead_from(folder, *file.against);
  if (!file.theirs.empty()) lead_from(folder, file.theirs);
  return file;
}

}  // namespace

SessionFile read_session_with_paths(const std::string& path) {
  SessionFile file = read_led(path);
  file.request = with_patch_source(std::move(file.request));
  if (file.against) file.against = with_patch_source(std::move(*file.against));
  return file;
}

SessionFile read_own_session(const std::string& path) {
  const ReadingAs reading(ReadAs::session);
  return read_session_with_paths(path);
}

Request read_patch_source(const std::string& patch_from) {
  Request of;
  of.patch_from = patch_from;
  return carries_source(of) ? parse_session(patch_from, kCarried).request : read_led(patch_from).request;
}

Request with_patch_source(Request request) {
  if (request.patch_from.empty() || carries_source(request) || !any_on(request.patches)) return request;
  try {
    // A source that is patched itself cannot be run: the request keeps the name of its file, which a refusal then
    // names.
    const Request source = read_led(request.patch_from).request;
    if (!any_on(source.patches)) request.patch_from = request_json(source);
  } catch (const Error&) {
    // Who runs it says what is wrong with the file.
  }
  return request;
}

Request with_absolute_paths(Request request) {
  for_each_path(request, [](std::string& path) {
    std::error_code error;
    if (std::filesystem::path(path).is_absolute() || !std::filesystem::exists(path, error)) return;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    if (!error) path = whole.lexically_normal().string();
  });
  return request;
}

}  // namespace headscope
