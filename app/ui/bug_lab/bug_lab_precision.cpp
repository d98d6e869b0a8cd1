// The request in number formats of fewer bits: error per cell as a picture, the worst cell, a table of all stages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/background/precision_numbers.h"
#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/base/minus_sign.h"
#include "core/explain/explain.h"

namespace headscope::ui {
namespace {

constexpr float kList = 300, kNarrowList = 250, kNarrowBelow = 1400, kBelow = 236, kLowBelow = 184, kLowUnder = 700;
constexpr float kFormatRow = 78, kTableRow = 20;

const char* sentence_of(NumberType format) {
  switch (format) {
    case NumberType::float32:
      return "What Headscope computes with: 24 bits of significand, 8 of exponent.";
    case NumberType::float16:
      return "11 bits of significand, nothing above 65504. Every stage is stored so.";
    case NumberType::bfloat16:
      return "8 bits of significand, the range of float32. Every stage is stored so.";
  }
  return "";
}

std::string error_text(double error) {
  return error == 0 ? "0" : error < 1e-3 ? number_label(error, 1, true) : number_label(error, 4);
}

StageId last_stage(const FormatRun& run) {
  return run.find(StageId::output) != nullptr ? StageId::output : StageId::concat;
}

const FormatRun& shown_run(const Ui& ui, const PrecisionReport& report) {
  const auto found = std::find_if(report.formats.begin(), report.formats.end(),
                                  [&](const FormatRun& run) { return run.format == ui.session.view.bug_lab.format; });
  return found == report.formats.end() ? report.formats.front() : *found;
}

void draw_formats(Ui& ui, const PrecisionReport& report, const Rect& area, float y) {
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  for (const FormatRun& run : report.formats) {
    const Rect row{{area.min.x, y}, {area.max.x, y + ui.px(kFormatRow)}};
    const std::string name(format_name(run.format));
    const bool on = ui.session.view.bug_lab.format == run.format;
    if (on) {
      fill(row, ui.colors.tint);
      fill({row.min, {row.min.x + ui.px(3), row.max.y}}, ui.colors.accent);
    }
    const Interaction it = interact(ui, fmt::format("bug_lab/format/{}", name), row);
    if (it.clicked) ui.session.view.bug_lab.format = run.format;
    if (it.focused && ui.state.focus_by_keyboard) outline(ui, inset(row, ui.px(2)), ui.colors.accent, 2, ui.px(3));
    Rect title{{left, y + ui.px(8)}, {right, y + ui.px(28)}};
    const StageError& last = *run.find(last_stage(run));
    text_in(ui, take_right(title, ui.px(110), ui.px(6)), Type::mono11, last.lost > 0 ? ui.colors.bad : ui.colors.text2,
            last.lost > 0 ? fmt::format("{} cells lost", grouped_digits(last.lost)) : "Δ " + error_text(last.max_error),
            1);
    text_in(ui, title, Type::mono_bold12, ui.colors.text, name);
    paragraph(ui, {{left, y + ui.px(31)}, {right, row.max.y}}, Type::words12, ui.colors.text2, sentence_of(run.format));
    horizontal_line(ui, left, right, row.max.y, ui.colors.line);
    y = row.max.y + ui.px(1);
  }
  const std::string foot = fmt::format(
      "Δ is the largest error of {} against the same in double. Sums, the softmax and rotary turns are in float32 from "
      "what is stored; inputs and weights are rounded too.",
      stage_name(last_stage(report.formats.front())));
  paragraph(ui, {{left, y + ui.px(10)}, {right, area.max.y}}, Type::words12, ui.colors.text2, foot);
}

// Stages by formats: the largest and the mean error; a click shows the stage.
void draw_table(Ui& ui, const PrecisionReport& report, StageId shown, const Rect& area) {
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  const float names = ui.px(122), column = std::floor((right - left - names) / 6);
  const auto cell = [&](float y, int k, Type type, Rgba color, const std::string& words) {
    const float x = left + names + column * static_cast<float>(k);
    text_in(ui, {{x, y}, {x + column, y + ui.px(kTableRow)}}, type, color, words, 1);
  };
  float y = area.min.y + ui.px(8);
  for (int k = 0; k < 3; ++k) {
    cell(y, 2 * k + 1, Type::mono11, ui.colors.text2,
         std::string(format_name(report.formats[static_cast<std::size_t>(k)].format)));
  }
  y += ui.px(kTableRow - 2);
  text_in(ui, {{left, y}, {left + names, y + ui.px(kTableRow)}}, Type::words11, ui.colors.text2, "stage");
  for (int k = 0; k < 3; ++k) {
    cell(y, 2 * k, Type::words11, ui.colors.text2, "largest");
    cell(y, 2 * k + 1, Type::words11, ui.colors.text2, "mean");
  }
  y += ui.px(kTableRow);
  horizontal_line(ui, left, right, y, ui.colors.line);
  const Rect body{{area.min.x, y + ui.px(2)}, area.max};
  const auto& stages = report.formats.front().stages;
  const ScrollArea scroll =
      begin_scroll(ui, "bug_lab/precision", body, ui.px(kTableRow) * static_cast<float>(stages.size()) + ui.px(8));
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const float top = body.min.y + ui.px(kTableRow) * static_cast<float>(k) - scroll.offset;
    if (top + ui.px(kTableRow) < body.min.y || top > body.max.y) continue;
    const Rect row{{area.min.x + ui.px(6), top}, {area.max.x - ui.px(12), top + ui.px(kTableRow)}};
    const std::string name(stage_name(stages[k].stage));
    const Interaction it = interact_mouse(ui, fmt::format("bug_lab/error/{}", name), row, {}, false);
    if (stages[k].stage == shown)
      fill(row, ui.colors.tint, ui.px(3));
    else if (it.hovered)
      fill(row, ui.colors.hover, ui.px(3));
    if (it.clicked) ui.session.view.bug_lab.stage = stages[k].stage;
    text_in(ui, {{left, top}, {left + names, row.max.y}}, Type::mono12, ui.colors.text, name);
    for (std::size_t f = 0; f < report.formats.size(); ++f) {
      const StageError& error = report.formats[f].stages[k];
      const int at = static_cast<int>(f);
      cell(top, 2 * at, Type::mono12, error.lost > 0 ? ui.colors.bad : ui.colors.text,
           error.lost > 0 ? "lost" : error_text(error.max_error));
      cell(top, 2 * at + 1, Type::mono12, ui.colors.text2, error_text(error.mean_error));
    }
  }
  end_scroll(ui);
}

// The worst cell in words.
void draw_facts(Ui& ui, const FormatRun& run, StageId stage, const Rect& area) {
  ui.mark("bug_lab/precision_facts", area);
  const StageError& error = *run.find(stage);
  Rect line{{area.min.x + ui.px(size::panel_padding), area.min.y},
            {area.max.x - ui.px(size::panel_padding), area.min.y + ui.px(36)}};
  text_in(ui, line, Type::title13, ui.colors.text, "The worst cell");
  float y = line.max.y;
  const auto say = [&](bool bad, const std::string& words) {
    draw_icon(ui, bad ? Icon::warning : Icon::check, {area.min.x + ui.px(24), std::round(y + ui.px(8))}, ui.px(13),
              bad ? ui.colors.bad : ui.colors.ok);
    const Rect place{{area.min.x + ui.px(44), y}, {area.max.x - ui.px(14), area.max.y}};
    y += std::max(ui.px(16), paragraph(ui, place, Type::words13, ui.colors.text, words)) + ui.px(7);
    ui.mark("bug_lab/fact/" + words, place);
  };
  if (error.cell.count == 0) {
    say(false, fmt::format("Every number of {} is exact in {}.", stage_name(stage), format_name(run.format)));
  } else {
    say(false, with_minus_signs(fmt::format("{} is {:.9g} in double and {:.9g} in {}: {} off.",
                                            cell_name(stage_name(stage), error.cell), error.exact, error.value,
                                            format_name(run.format), error_text(error.max_error))));
    say(false,
        fmt::format("The mean error over {} cells is {}.", grouped_digits(error.cells), error_text(error.mean_error)));
  }
  if (error.lost > 0) {
    say(true, fmt::format("{} cells are finite in double and not in {}: they are beyond its largest number, or follow "
                          "from one that is.",
                          grouped_digits(error.lost), format_name(run.format)));
  }
}

StageId stage_in(const Trace& trace, StageId wanted) {
  if (trace.find(wanted) != nullptr) return wanted;
  return trace.find(StageId::output) != nullptr ? StageId::output : StageId::concat;
}

void draw_header(Ui& ui, const Trace& exact, const FormatRun& run, StageId stage, std::int64_t head, const Rect& area) {
  const float top = std::round(area.center().y - ui.px(12));
  Rect line{{area.min.x + ui.px(size::panel_padding), top},
            {area.max.x - ui.px(size::panel_padding), top + ui.px(size::control_height)}};
  const auto words = [&](Type type, Rgba color, const std::string& text, float gap) {
    const float width = std::min(std::ceil(text_width(ui, type, text)) + 1, std::max(line.width(), 0.0f));
    text_in(ui, take_left(line, width, ui.px(gap)), type, color, text);
  };
  words(Type::mono_bold12, ui.colors.text, std::string(format_name(run.format)), 14);
  words(Type::words12, ui.colors.text2, "on stage", 8);
  std::vector<std::string> items;
  int selected = 0;
  for (const Stage& each : exact.stages) {
    if (each.id == stage) selected = static_cast<int>(items.size());
    items.emplace_back(stage_name(each.id));
  }
  if (combo(ui, "bug_lab/stage", take_left(line, ui.px(150), ui.px(12)), items, selected,
            {{true, false, "Which tensor is compared."}})) {
    ui.session.view.bug_lab.stage = exact.stages[static_cast<std::size_t>(selected)].id;
  }
  if (const std::int64_t heads = slice_count(exact, stage); heads > 1) {
    std::vector<std::string> names;
    for (std::int64_t h = 0; h < heads; ++h) names.push_back(fmt::format("head {}", h));
    int at = static_cast<int>(slice_of_head(exact, stage, head));
    if (combo(ui, "bug_lab/head", take_left(line, ui.px(92), ui.px(12)), names, at,
              {{true, false, "The head whose matrix is shown ([ and ])."}, Type::words12})) {
      ui.session.view.head = at;
    }
  }
  words(Type::words12, ui.colors.text2, to_string(exact.tensor(stage).shape()), 8);
}

}  // namespace

void draw_lab_precision(Ui& ui, const Rect& area) {
  ui.mark("bug_lab/precision", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  const auto result = ui.session.background.precision_numbers.want(trace);
  Rect rest = area;
  const Rect list = take_left(rest, ui.px(area.width() < ui.px(kNarrowBelow) ? kNarrowList : kList), 0);
  const float y = list.min.y + draw_lab_modes(ui, list);
  vertical_line(ui, list.max.x, list.min.y, list.max.y, ui.colors.line);
  rest.min.x += std::max(1.0f, ui.px(1));
  if (result == nullptr) return;
  if (!result->refusal.empty()) {
    const Rect place{{rest.min.x + ui.px(24), rest.min.y + ui.px(24)}, {rest.max.x - ui.px(24), rest.max.y}};
    text(ui, place.min, Type::title13, ui.colors.text, "No precision of this request.");
    paragraph(ui,
              {{place.min.x, place.min.y + ui.px(26)}, {std::min(place.max.x, place.min.x + ui.px(640)), place.max.y}},
              Type::words13, ui.colors.text2, control_words(result->refusal));
    ui.mark("bug_lab/refusal", place);
    return;
  }
  draw_formats(ui, result->report, list, y);
  const FormatRun& run = shown_run(ui, result->report);
  const Trace& exact = *result->report.exact;
  const StageId stage = stage_in(exact, ui.session.view.bug_lab.stage);
  const Selection selection = selection_of(ui.session.view, exact);
  const Rect header{rest.min, {rest.max.x, rest.min.y + ui.px(size::panel_header)}};
  draw_header(ui, exact, run, stage, selection.head, header);
  horizontal_line(ui, rest.min.x, rest.max.x, header.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);

  BugLabData& data = bug_lab_data(ui);
  LabSides sides;
  sides.data = {data_of(ui, data.precision[0], result->report.exact), data_of(ui, data.precision[1], run.trace),
                data_of(ui, data.precision[2], run.error)};
  sides.titles = {"In double", fmt::format("In {}", format_name(run.format)), "Error"};
  sides.words = {"double", std::string(format_name(run.format)), "error"};
  sides.stage = stage;
  sides.batch = selection.batch;
  sides.head = selection.head;
  sides.centred = false;
  sides.largest = run.find(stage)->max_error;
  sides.cell = run.find(stage)->cell;
  const float below = ui.px(area.height() < ui.px(kLowUnder) ? kLowBelow : kBelow), split = rest.max.y - below;
  const Rect inner{{rest.min.x + ui.px(kLabGutter), header.max.y + ui.px(4)},
                   {rest.max.x - ui.px(size::panel_padding), split - ui.px(kLabReadout)}};
  draw_lab_values(ui, sides, lab_columns(ui, inner, BugLabView::Shows::side_by_side), inner);
  draw_lab_readout(ui, sides, {{inner.min.x, split - ui.px(kLabReadout)}, {inner.max.x, split}});
  horizontal_line(ui, rest.min.x, rest.max.x, split, ui.colors.line);
  const float middle = std::round(rest.min.x + rest.width() * 0.62f);
  draw_table(ui, result->report, stage, {{rest.min.x, split + ui.px(1)}, {middle, rest.max.y}});
  vertical_line(ui, middle, split, rest.max.y, ui.colors.line);
  draw_facts(ui, run, stage, {{middle + ui.px(1), split + ui.px(1)}, rest.max});
}

}  // namespace headscope::ui
