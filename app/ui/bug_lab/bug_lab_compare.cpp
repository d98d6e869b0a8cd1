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
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  if (names.empty()) return "none: correct";
  return fmt::format("{}", fmt::join(names, " + "));
}

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string residual_text(double value) {
  return std::isinf(value) ? "inf" : value < 1e-3 ? number_label(value, 1, true) : number_label(value, 4);
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

struct Answer {
  Rgba ground, edge;
  Icon icon;
  std::string fact, rest;
};

Answer answer_of(Ui& ui, const Diagnosis& found) {
  const Palette& c = ui.colors;
  const std::string yours = found.stages.size() == 1
                                ? "Your " + std::string(stage_name(found.stages.front().stage)) + " equals"
                                : "Your stages equal";
  if (found.equal) {
    const std::string verdict = found.verdict();
    return {c.ok_ground, c.ok, Icon::check, verdict == "equal" ? "Equal." : fmt::format("E{}.", verdict.substr(1)),
            fmt::format("{} ours: the largest difference is {}.", yours, residual_text(found.max_difference))};
  }
  if (!found.explanations.empty()) {
    return {c.warn_ground, c.warn, Icon::warning, "It is " + names_text(found.explanations.front().variants) + ".",
            fmt::format("{} ours with {} on.", yours,
                        found.explanations.front().variants.size() == 1 ? "this mistake" : "these mistakes")};
  }
  return {c.bad_ground, c.bad, Icon::warning, "No known mistake explains it.",
          found.stages.size() == 1
              ? fmt::format("The largest difference is {}.", residual_text(found.max_difference))
              : fmt::format("The first stage that differs is {}.", stage_name(*found.first_different))};
}

// The box with the answer; returns the y below.
float draw_answer(Ui& ui, const TensorComparison& found, const Rect& area) {
  const Answer answer = answer_of(ui, found.diagnosis);
  const Rect box{area.min, {area.max.x, area.min.y + ui.px(40)}};
  fill(box, answer.ground, ui.px(size::radius_field));
  outline(ui, box, answer.edge, 1, ui.px(size::radius_field));
  draw_icon(ui, answer.icon, {box.min.x + ui.px(22), std::round(box.center().y)}, ui.px(14), answer.edge);
  Rect words{{box.min.x + ui.px(40), box.min.y}, {box.max.x - ui.px(10), box.max.y}};
  ui.mark("bug_lab/answer/" + answer.fact, box);
  text_in(
      ui,
      take_left(words, std::min(words.width(), std::ceil(text_width(ui, Type::title13, answer.fact)) + 1), ui.px(8)),
      Type::title13, ui.colors.text, answer.fact);
  if (words.width() > ui.px(30)) text_in(ui, words, Type::words13, ui.colors.text, answer.rest);
  return box.max.y;
}

// Explanations, then what comes nearest, as bars of their residuals.
void draw_residuals(Ui& ui, const Diagnosis& found, const Rect& area) {
  std::vector<const DiagnosisExplanation*> lines;
  for (const DiagnosisExplanation& each : found.explanations) lines.push_back(&each);
  for (const DiagnosisExplanation& each : found.nearest) lines.push_back(&each);
  if (lines.empty()) return;
  double largest = 0;
  for (const DiagnosisExplanation* each : lines) {
    if (std::isfinite(each->largest)) largest = std::max(largest, each->largest);
  }
  float y = area.min.y;
  const Rect titles{{area.min.x, y}, {area.max.x, y + ui.px(22)}};
  text_in(ui, titles, Type::words11, ui.colors.text2, "explanation");
  text_in(ui, titles, Type::words11, ui.colors.text2, "largest residual", 1);
  y = titles.max.y;
  horizontal_line(ui, area.min.x, area.max.x, y, ui.colors.line);
  y += ui.px(2);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const Rect row{{area.min.x, y}, {area.max.x, y + ui.px(21)}};
    if (row.max.y > area.max.y - ui.px(20)) break;
    const bool explains = k < found.explanations.size();
    Rect rest = row;
    text_in(ui, take_right(rest, ui.px(66), ui.px(10)), explains ? Type::mono_bold12 : Type::mono12, ui.colors.text,
            residual_text(lines[k]->largest), 1);
    const Rect bar = take_right(rest, std::floor(area.width() * 0.32f), ui.px(10));
    // A residual of nothing but rounding keeps a mark that can be seen.
    const double share = largest > 0 && std::isfinite(lines[k]->largest) ? lines[k]->largest / largest : 1;
    const float top = std::round(bar.center().y - ui.px(4));
    fill({{bar.min.x, top},
          {bar.min.x + std::max(ui.px(4), std::round(bar.width() * static_cast<float>(share))), top + ui.px(8)}},
         explains ? ui.colors.warn : ui.colors.edge);
    text_in(ui, rest, explains ? Type::mono_bold12 : Type::mono12, explains ? ui.colors.text : ui.colors.text2,
            shortened(ui, Type::mono12, names_text(lines[k]->variants), rest.width()));
    y = row.max.y;
  }
  const Rect foot{{area.min.x, y + ui.px(2)}, {area.max.x, y + ui.px(22)}};
  if (foot.max.y > area.max.y) return;
  std::string words = fmt::format("{} sets of mistakes and conventions tried.", found.tried);
  if (found.stages.size() == 1) words += " Add more stages to see where it starts.";
  text_in(ui, foot, Type::words12, ui.colors.text2, words);
}

void draw_stages(Ui& ui, const Diagnosis& found, Rect& area) {
  if (found.stages.size() < 2) return;
  std::string words;
  for (const StageComparison& each : found.stages) {
    words += fmt::format("{}{} {}", words.empty() ? "" : "   ", stage_name(each.stage),
                         each.equal ? "equal" : residual_text(each.max_difference));
  }
  text_in(ui, {area.min, {area.max.x, area.min.y + ui.px(22)}}, Type::mono11, ui.colors.text2,
          cut_to_width(ui, Type::mono11, words, area.width()));
  area.min.y += ui.px(22);
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
  const std::string title = "Compare with my tensors";
  text_in(ui, take_left(header, std::ceil(text_width(ui, Type::title13, title)) + 1, ui.px(14)), Type::title13,
          ui.colors.text, title);
  if (found && header.width() > ui.px(40)) {
    text_in(ui, header, Type::mono11, ui.colors.text2, shortened(ui, Type::mono11, files_text(*found), header.width()),
            1);
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
  body.min.y = draw_answer(ui, *found, body) + ui.px(8);
  draw_stages(ui, found->diagnosis, body);
  if (!found->diagnosis.equal) draw_residuals(ui, found->diagnosis, body);
}

}  // namespace headscope::ui
