#include "app/frame/lesson_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "app/frame/window_picture.h"
#include "app/session/export/export_job.h"
#include "app/session/export/unused_path.h"
#include "app/session/folder_listing.h"
#include "app/session/lesson_stops.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"

namespace headscope {

namespace {

constexpr const char* kJob = "Pictures of the lesson";

std::string write_pictures(const std::string& folder, const std::vector<std::string>& files,
                           const CancelToken& cancel) {
  const std::vector<std::string> made = make_folder(folder);
  const int digits = files.size() < 10 ? 1 : files.size() < 100 ? 2 : 3;
  try {
    FilesTogether together;
    for (std::size_t k = 0; k < files.size(); ++k) {
      cancel.check();
      together.add(fmt::format("{}/{:0{}}.png", folder, k + 1, digits),
                   [&](std::ostream& out) { out.write(files[k].data(), std::ssize(files[k])); });
    }
    together.commit();
  } catch (...) {
    std::error_code ignored;
    for (auto path = made.rbegin(); path != made.rend(); ++path) std::filesystem::remove(*path, ignored);
    throw;
  }
  std::size_t bytes = 0;
  for (const std::string& file : files) bytes += file.size();
  return fmt::format("Wrote {} picture{}, {}, to {}", files.size(), files.size() == 1 ? "" : "s",
                     bytes_text(static_cast<std::int64_t>(bytes)), short_path(folder));
}

}  // namespace

void LessonPictures::start(Session& session, ui::UiState& state) {
  if (running() || session.view.lesson.empty()) return;
  if (session.jobs.current().running) {
    return put_notice(state, {ui::Notice::Kind::warn, "No pictures yet.",
                              "Another export is still being written; try again when it is done.", "lesson"});
  }
  ui::LessonState& strip = state.panels.get<ui::LessonState>();
  before_ = session.view;
  strip_before_ = strip;
  strip.open = true;
  strip.shows = ui::LessonState::Shows::pictures;
  strip.stop = 0;
  files_.clear();
  std::erase_if(state.notices, [](const ui::Notice& notice) { return notice.key == "lesson"; });
  session.view = view_at(session.view.lesson.front(), session.view);
}

InputEvents LessonPictures::input_of(InputEvents input) {
  std::erase_if(input.keys, [](const KeyEvent& event) { return event.key != KeyName::escape; });
  input.characters.clear();
  input.dropped.clear();
  using Kind = MouseEvent::Kind;
  std::erase_if(input.mouse, [](const MouseEvent& event) {
    return event.kind == Kind::wheel || (event.kind == Kind::button && event.down);
  });
  return input;
}

void LessonPictures::end(Session& session, ui::UiState& state) {
  const Lesson lesson = session.view.lesson;
  session.view = *before_;
  session.view.lesson = lesson;
  before_.reset();
  state.panels.get<ui::LessonState>() = strip_before_;
}

void LessonPictures::take(Session& session, const Settings& settings, ui::UiState& state,
                          const std::function<Image()>& pixels) {
  ui::LessonState& strip = state.panels.get<ui::LessonState>();
  const Lesson& lesson = session.view.lesson;
  const auto stop = static_cast<std::size_t>(strip.stop);
  const bool left = strip.shows != ui::LessonState::Shows::pictures || stop >= lesson.size();
  if (left) return end(session, state);
  try {
    std::ostringstream out;
    write_png(out, pixels(), window_texts(session, settings));
    files_.push_back(std::move(out).str());
  } catch (...) {
    end(session, state);
    throw;
  }
  if (stop + 1 < lesson.size()) {
    strip.stop += 1;
    session.view = view_at(lesson[stop + 1], session.view);
    return;
  }
  end(session, state);
  const std::string folder = unused_export_path(settings, "headscope-lesson", "");
  session.jobs.start(
      kJob, [folder, files = std::exchange(files_, {})](const CancelToken& cancel, const std::function<void(double)>&) {
        return write_pictures(folder, files, cancel);
      });
}

}  // namespace headscope
