// The request in number formats of fewer bits: error per cell as a picture, the worst cell, a table of all stages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

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
constexpr float kFormatRow = 28, kShownFormatRow = 66, kTableRow = 20;

std::string error_text(double error) {
  if (std::isnan(error)) return "not a number";
  return error == 0 ? "0" : error < 1e-3 ? number_label(error, 1, true) : number_label(error, 4);
}

// Every format that rounds what the view says, in the order of precision_formats().
std::vector<Rounding> roundings_of(Rounded rounded) {
  std::vector<Rounding> roundings;
  for (const PrecisionFormat& format : precision_formats()) {
    const Rounding rounding = rounding_of(format, rounded);
    if (rounding_refusal(rounding).empty()) roundings.push_back(rounding);
  }
  return roundings;
}

const FormatRun& shown_run(const Ui& ui, const PrecisionReport& report) {
  const auto found = std::find_if(report.formats.begin(), report.formats.end(), [&](const FormatRun& run) {
    return run.rounding.format->option == ui.session.view.bug_lab.format;
  });
  return found == report.formats.end() ? report.formats.front() : *found;
}

std::string name_of(const FormatRun& run) {
  return std::string(run.rounding.format->name);
}

// Draws what is rounded, and returns where the rest begins.
float draw_rounded(Ui& ui, const Rect& area, float y) {
  std::vector<std::string> items(std::begin(kRoundedNames), std::end(kRoundedNames));
  int at = static_cast<int>(ui.session.view.bug_lab.rounded);
  Rect line{{area.min.x + ui.px(size::panel_padding), y + ui.px(6)},
            {area.max.x - ui.px(size::panel_padding), y + ui.px(6 + size::control_height)}};
  text_in(ui, take_left(line, ui.px(70), ui.px(4)), Type::words12, ui.colors.text2, "rounded");
  if (combo(ui, "bug_lab/rounded", take_left(line, ui.px(140), 0), items, at,
            {{true, false,
              "What is rounded: inputs and storage as kernels use the format, one of inputs, storage and accumulation "
              "alone, or all that the format rounds."}})) {
    ui.session.view.bug_lab.rounded = static_cast<Rounded>(at);
  }
  const float end = y + ui.px(12 + size::control_height);
  horizontal_line(ui, line.min.x, area.max.x, end, ui.colors.line);
  return end + ui.px(1);
}

void draw_formats(Ui& ui, const PrecisionReport& report, StageId stage, const Rect& area, float y) {
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  const FormatRun& shown = shown_run(ui, report);
  for (const FormatRun& run : report.formats) {
    const bool on = &run == &shown;
    const Rect row{{area.min.x, y}, {area.max.x, y + ui.px(on ? kShownFormatRow : kFormatRow)}};
    if (on) {
      fill(row, ui.colors.tint);
      fill({row.min, {row.min.x + ui.px(3), row.max.y}}, ui.colors.accent);
    }
    const Interaction it = interact(ui, fmt::format("bug_lab/format/{}", name_of(run)), row);
    if (it.clicked) ui.session.view.bug_lab.format = run.rounding.format->option;
    if (it.focused && ui.state.focus_by_keyboard) outline(ui, inset(row, ui.px(2)), ui.colors.accent, 2, ui.px(3));
    Rect title{{left, y + ui.px(4)}, {right, y + ui.px(24)}};
    const StageError& error = *run.find(stage);
    text_in(ui, take_right(title, ui.px(110), ui.px(6)), Type::mono11, error.lost > 0 ? ui.colors.bad : ui.colors.text2,
            error.lost > 0 ? fmt::format("{} cells lost", grouped_digits(error.lost))
                           : "Δ " + error_text(error.or_nan(error.max_error)),
            1);
    text_in(ui, title, Type::mono_bold12, ui.colors.text, name_of(run));
    if (on) {
      paragraph(ui, {{left, y + ui.px(27)}, {right, row.max.y}}, Type::words12, ui.colors.text2,
                std::string(run.rounding.format->sentence));
    }
    horizontal_line(ui, left, right, row.max.y, ui.colors.line);
    y = row.max.y + ui.px(1);
  }
  const std::string foot = fmt::format("Δ is the largest error of {} against the same in double. {}", stage_name(stage),
                                       rounding_sentence(shown.rounding));
  paragraph(ui, {{left, y + ui.px(10)}, {right, area.max.y}}, Type::words12, ui.colors.text2, foot);
}

// "head 3", "row 5 of item 1"; "" where there is none.
std::string place_text(const std::vector<PlaceError>& places, const char* noun) {
  if (places.empty() || (places.front().lost == 0 && places.front().cell.count == 0)) return "";
  const PlaceError& worst = places.front();
  return worst.batch > 0 ? fmt::format("{} {} of item {}", noun, worst.place, worst.batch)
                         : fmt::format("{} {}", noun, worst.place);
}

// The stages of one format: the largest and the mean error, the worst head and row; a click shows the stage.
void draw_table(Ui& ui, const FormatRun& run, StageId shown, const Rect& area) {
  const float left = area.min.x + ui.px(size::panel_padding), right = area.max.x - ui.px(size::panel_padding);
  const float names = ui.px(122), column = std::floor((right - left - names) / 4);
  const auto cell = [&](float y, int k, Type type, Rgba color, const std::string& words) {
    const float x = left + names + column * static_cast<float>(k);
    text_in(ui, {{x, y}, {x + column, y + ui.px(kTableRow)}}, type, color, words, 1);
  };
  float y = area.min.y + ui.px(8);
  text_in(ui, {{left, y}, {left + names, y + ui.px(kTableRow)}}, Type::words11, ui.colors.text2, "stage");
  const char* heads[] = {"largest", "mean", "worst head", "worst row"};
  for (int k = 0; k < 4; ++k) cell(y, k, Type::words11, ui.colors.text2, heads[k]);
  y += ui.px(kTableRow);
  horizontal_line(ui, left, right, y, ui.colors.line);
  const Rect body{{area.min.x, y + ui.px(2)}, area.max};
  const auto& stages = run.stages;
  const ScrollArea scroll =
      begin_scroll(ui, "bug_lab/precision", body, ui.px(kTableRow) * static_cast<float>(stages.size()) + ui.px(8));
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const float top = body.min.y + ui.px(kTableRow) * static_cast<float>(k) - scroll.offset;
    if (top + ui.px(kTableRow) < body.min.y || top > body.max.y) continue;
    const Rect row{{area.min.x + ui.px(6), top}, {area.max.x - ui.px(12), top + ui.px(kTableRow)}};
    const StageError& error = stages[k];
    const std::string name(stage_name(error.stage));
    const Interaction it = interact_mouse(ui, fmt::format("bug_lab/error/{}", name), row, {}, false);
    if (error.stage == shown)
      fill(row, ui.colors.tint, ui.px(3));
    else if (it.hovered)
      fill(row, ui.colors.hover, ui.px(3));
    if (it.clicked) ui.session.view.bug_lab.stage = error.stage;
    text_in(ui, {{left, top}, {left + names, row.max.y}}, Type::mono12, ui.colors.text, name);
    cell(top, 0, Type::mono12, error.lost > 0 ? ui.colors.bad : ui.colors.text,
         error.lost > 0 ? "lost" : error_text(error.or_nan(error.max_error)));
    cell(top, 1, Type::mono12, ui.colors.text2, error_text(error.or_nan(error.mean_error)));
    cell(top, 2, Type::words12, ui.colors.text2, place_text(error.heads, "head"));
    cell(top, 3, Type::words12, ui.colors.text2, place_text(error.rows, "row"));
  }
  end_scroll(ui);
}

// "Worst are head 3 (largest error 0.01, mean 0.002) and row 5 (...)."; "" where nothing differs.
std::string worst_sentence(const StageError& error) {
  std::string words;
  const auto name = [&](const std::vector<PlaceError>& places, const char* noun) {
    const std::string place = place_text(places, noun);
    if (place.empty()) return;
    const PlaceError& worst = places.front();
    words += fmt::format("{}{} ({}largest error {}, mean {})", words.empty() ? "" : " and ", place,
                         worst.lost > 0 ? grouped_digits(worst.lost) + " cells lost, " : "",
                         error_text(worst.or_nan(worst.max_error)), error_text(worst.or_nan(worst.mean_error)));
  };
  name(error.heads, "head");
  const bool both = !words.empty();
  name(error.rows, "row");
  return words.empty() ? "" : fmt::format("Worst {} {}.", both ? "are" : "is", words);
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
  if (!error.known()) {
    say(true, fmt::format("No number of {} is finite in double and in {}.", stage_name(stage), name_of(run)));
  } else if (error.cell.count == 0) {
    say(false, fmt::format("Every number of {} is exact in {}.", stage_name(stage), name_of(run)));
  } else {
    say(false, with_minus_signs(fmt::format("{} is {:.9g} in double and {:.9g} in {}: {} off.",
                                            cell_name(stage_name(stage), error.cell), error.exact, error.value,
                                            name_of(run), error_text(error.max_error))));
    say(false,
        fmt::format("The mean error over {} cells is {}.", grouped_digits(error.cells), error_text(error.mean_error)));
  }
  if (const std::string worst = worst_sentence(error); !worst.empty()) say(false, worst);
  if (error.lost > 0) {
    say(true, fmt::format("{} cells are finite in double and not in {}: they are beyond its largest number, or follow "
                          "from one that is.",
                          grouped_digits(error.lost), name_of(run)));
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
  words(Type::mono_bold12, ui.colors.text, name_of(run), 14);
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
  const auto result =
      ui.session.background.precision_numbers.want({trace, roundings_of(ui.session.view.bug_lab.rounded)});
  Rect rest = area;
  const Rect list = take_left(rest, ui.px(area.width() < ui.px(kNarrowBelow) ? kNarrowList : kList), 0);
  const float y = draw_rounded(ui, list, list.min.y + draw_lab_modes(ui, list));
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
  const FormatRun& run = shown_run(ui, result->report);
  const Trace& exact = *result->report.exact;
  const StageId stage = stage_in(exact, ui.session.view.bug_lab.stage);
  draw_formats(ui, result->report, stage, list, y);
  const Selection selection = selection_of(ui.session.view, exact);
  const Rect header{rest.min, {rest.max.x, rest.min.y + ui.px(size::panel_header)}};
  draw_header(ui, exact, run, stage, selection.head, header);
  horizontal_line(ui, rest.min.x, rest.max.x, header.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);

  BugLabData& data = bug_lab_data(ui);
  LabSides sides;
  sides.data = {data_of(ui, data.precision[0], result->report.exact), data_of(ui, data.precision[1], run.trace),
                data_of(ui, data.precision[2], run.error)};
  sides.titles = {"In double", fmt::format("In {}", name_of(run)), "Error"};
  sides.words = {"double", name_of(run), "error"};
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
  draw_table(ui, run, stage, {{rest.min.x, split + ui.px(1)}, {middle, rest.max.y}});
  vertical_line(ui, middle, split, rest.max.y, ui.colors.line);
  draw_facts(ui, run, stage, {{middle + ui.px(1), split + ui.px(1)}, rest.max});
}

}  // namespace headscope::ui
