#include "app/frame/watched_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/frame/start.h"
#include "core/request/intervention_kinds.h"
#include "core/request/model_text.h"
#include "core/request/request_files.h"

namespace headscope {

namespace {

std::uint64_t file_number(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

bool reads_file(const Request& request, const std::string& path) {
  const ModelText model = model_text_of(request.model);
  if (model.base == path) return true;
  if (std::any_of(model.adapters.begin(), model.adapters.end(),
                  [&](const AdapterUse& adapter) { return adapter.folder == path; })) {
    return true;
  }
  if (std::any_of(kFileFields.begin(), kFileFields.end(), [&](auto field) { return request.*field == path; }))
    return true;
  bool array = false;
  visit_arrays(request, [&](const auto&, const StageArray& each) { array = array || each.file == path; });
  if (array) return true;
  return std::any_of(request.mask.begin(), request.mask.end(),
                     [&](const MaskTerm& term) { return term.kind == MaskTerm::Kind::file && term.path == path; });
}

WatchedFile::WatchedFile(const std::string& path, const Session& session)
    : path_(path),
      file_number_(file_number(path)),
      opened_(reads_file(session.draft, path) ||
              session.document.title == std::filesystem::path(path).filename().string()),
      document_(session.document) {}

WatchedFile::WatchedFile(const std::string& path, const Session& session, std::function<void()> wake)
    : WatchedFile(path, session) {
  watch_ = watch_file(path, std::move(wake));
}

bool WatchedFile::take_change() {
  const bool noted = std::exchange(noted_, false);
  return (watch_ != nullptr && watch_->take_change()) || noted;
}

// Whether another file lies there now. A file that was written over, and a folder, still are what older results read.
bool WatchedFile::take_replacement() {
  const std::uint64_t now = file_number(path_);
  const std::uint64_t before = std::exchange(file_number_, now);
  return now != 0 && before != 0 && now != before;
}

bool WatchedFile::follow(Session& session, Settings& settings, ui::UiState& state) {
  // What comes faster than it can be computed is left out, not waited for.
  if (session.computing() || !take_change()) return false;
  if (reads_file(session.draft, path_)) {
    session.take_update(take_replacement());
    return true;
  }
  if (opened_ && session.document != document_) return false;
  const bool opens = open_given(session, settings, state, path_, session.view);
  if (opens) {
    opened_ = true;
    file_number_ = file_number(path_);
    document_ = session.document;
    std::erase_if(state.notices, [](const ui::Notice& notice) { return notice.key == "open"; });
  }
  return true;
}

}  // namespace headscope
