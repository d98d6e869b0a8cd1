// 'Compare with my tensors': which known mistake, if any, turns ours into what the user's own code computed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// "my_output.npy  [1, 12, 64] as output".
std::string files_text(const TensorComparison& found) {
  if (found.parts.size() == 1) {
    const TensorComparison::Part& part = found.parts.front();
    return fmt::format("{}  {} as {}", file_name(part.path), to_string(part.shape), stage_name(part.stage));
  }
  std::string names;
  for (const TensorComparison::Part& part : found.parts)
    names += (names.empty() ? "" : ", ") + std::string(stage_name(part.stage));
  return fmt::format("{} stages: {}", found.parts.size(), names);
}

void draw_running(Ui& ui, const Job& job, const Rect& area) {
  ui.wake_in(0.1);
  Rect line{area.min, {area.max.x, area.min.y + ui.px(26)}};
  if (button(ui, "bug_lab/cancel", take_right(line, ui.px(80), ui.px(10)), "Cancel")) ui.session.jobs.cancel();
  text_in(ui, take_right(line, ui.px(40), ui.px(10)), Type::mono12, ui.colors.text2,
          fmt::format("{:.0f}%", job.progress * 100), 1);
  const float top = std::round(line.center().y - ui.px(5));
  progress_bar(ui, {{line.min.x, top}, {line.max.x, top + ui.px(10)}}, job.progress);
  text_in(ui, {{area.min.x, line.max.y}, {area.max.x, line.max.y + ui.px(24)}}, Type::words12, ui.colors.text2,
          "Trying known mistakes and conventions, alone and together.");
}

void start(Ui& ui) {
  const BugLabData& data = bug_lab_data(ui);
  ui.session.jobs.forget_comparison();
  if (!data.files.empty()) ui.session.jobs.compare_tensors(ui.session.trace(), data.files);
}

}  // namespace

void compare_with_file(Ui& ui, const std::string& path) {
  std::vector<TheirFile>& files = bug_lab_data(ui).files;
  std::erase_if(files, [&](const TheirFile& each) { return each.path == path; });
  files.push_back({path, std::nullopt});
  ui.session.view.main_view = MainView::bug_lab;
  start(ui);
}

void draw_lab_compare(Ui& ui, const Rect& area) {
  ui.mark("bug_lab/compare", area);
  BugLabData& data = bug_lab_data(ui);
  const auto found = ui.session.jobs.comparison();
  const float padding = ui.px(size::panel_padding);
  Rect header{{area.min.x + padding, area.min.y + ui.px(7)}, {area.max.x - padding, area.min.y + ui.px(31)}};
  const bool more = !data.files.empty();
  const Job job = ui.session.jobs.current();
  const bool running = job.running && job.title == "Compare with my tensors";
  if (button(ui, "bug_lab/choose", take_right(header, ui.px(more ? 96 : 84), ui.px(8)),
             more ? "Add stage..." : "Choose...",
             {!job.running, false, "A .npy with one stage of your own code, or a .safetensors with several."})) {
    ui.push(CommandId::compare_tensors);
  }
  if (more && button(ui, "bug_lab/clear", take_right(header, ui.px(60), ui.px(10)), "Clear",
                     {!job.running, false, "Forgets the files."})) {
    data.files.clear();
    ui.session.jobs.forget_comparison();
    return;
  }
  const std::string title = fitting_words(ui, Type::title13, header.width(), {"Compare with my tensors", "My tensors"});
  text_in(ui, take_left(header, std::ceil(text_width(ui, Type::title13, title)) + 1, ui.px(14)), Type::title13,
          ui.colors.text, title);
  if (found && header.width() > ui.px(40)) {
    text_in(ui, header, Type::mono11, ui.colors.text2,
            shortened_to(ui, Type::mono11, files_text(*found), header.width()), 1);
  }
  Rect body{{area.min.x + padding, area.min.y + ui.px(40)}, {area.max.x - padding, area.max.y - ui.px(6)}};
  if (running) return draw_running(ui, job, body);
  if (!found) {
    paragraph(
        ui, body, Type::words13, ui.colors.text2,
        "Compute the same inputs and weights with your own code, save a stage as .npy (or several as .safetensors, "
        "named as the stages here), and choose the file: Headscope says whether it is equal, or which known mistake "
        "or convention turns ours into yours.");
    return;
  }
  // An older result was compared: the answer is not about the shown one.
  const bool stale = ui.session.trace() != found->trace;
  if (stale) {
    Rect line{body.min, {body.max.x, body.min.y + ui.px(26)}};
    if (button(ui, "bug_lab/again", take_right(line, ui.px(110), ui.px(8)), "Compare again",
               {!job.running, false, "Compares the files with the result that is on screen now."})) {
      start(ui);
    }
    text_in(ui, line, Type::words12, ui.colors.warn, "The request has changed since.");
    body.min.y = line.max.y + ui.px(6);
  }
  draw_lab_answers(ui, *found, theirs_view(ui).stage, body);
}

}  // namespace headscope::ui
