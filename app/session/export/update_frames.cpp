#include "app/session/export/update_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "core/base/error.h"

namespace headscope {

ExportChoice frame_choice(const ViewState& view) {
  ExportChoice choice;
  choice.subject = usual_subject(view, false);
  if (choice.subject == ExportSubject::head && view.heads_show == HeadsShow::grid)
    choice.subject = ExportSubject::heads;
  choice.format = ExportFile::png;
  return choice;
}

std::string write_update_frames(const ExportChoice& choice, const std::vector<FileUpdate>& updates,
                                const ViewState& view, const CancelToken& cancel,
                                const std::function<void(double)>& progress) {
  std::error_code ignored;
  if (std::filesystem::exists(choice.folder, ignored)) throw Error(choice.folder + ": is there already");
  std::uintmax_t bytes = 0;
  std::vector<std::string> written;
  const std::size_t digits =
      std::max<std::size_t>(4, updates.empty() ? 0 : std::to_string(updates.back().number).size());
  try {
    for (std::size_t k = 0; k < updates.size(); ++k) {
      cancel.check();
      ExportChoice frame = choice;
      frame.file = fmt::format("update-{:0{}}.png", updates[k].number, digits);
      written.push_back(choice.folder + "/" + frame.file);
      write_export(frame, *updates[k].trace, view, cancel, nullptr);
      bytes += std::filesystem::file_size(written.back(), ignored);
      if (progress) progress(static_cast<double>(k + 1) / static_cast<double>(updates.size()));
    }
  } catch (...) {
    for (const std::string& file : written) std::filesystem::remove(file, ignored);
    std::filesystem::remove(choice.folder, ignored);  // what somebody else has put there stays, and the folder with it
    throw;
  }
  return fmt::format("Wrote {} pictures, {}, to {}", updates.size(), bytes_text(static_cast<std::int64_t>(bytes)),
                     short_path(choice.folder));
}

}  // namespace headscope
