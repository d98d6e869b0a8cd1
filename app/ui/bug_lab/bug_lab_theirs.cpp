// The user's own tensors: theirs, ours and theirs - ours of every stage that was given, with what differs marked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_layout.h"

namespace headscope::ui {
namespace {

constexpr float kChipHeight = 24, kMarksRoom = 8;

const StageComparison& judged(const TheirsView& theirs) {
  const auto& stages = theirs.seen->diagnosis.stages;
  return *std::find_if(stages.begin(), stages.end(),
                       [&](const StageComparison& each) { return each.stage == theirs.stage; });
}

// Shows the stage, at the batch item and head of its first cell that differs.
void show_stage(Ui& ui, StageId stage) {
  TheirsView& theirs = bug_lab_data(ui).theirs;
  theirs.stage = stage;
  const Index& first = judged(theirs).where.first;
  if (first.count == 0) return;
  const MatrixLayout layout = stage_layout(stage);
  ui.session.view.batch = first[layout.batch];
  const std::int64_t slices = slice_count(*theirs.seen->ours, stage);
  // The first of the query heads that share a key head is shown.
  if (layout.head >= 0 && slices > 1) {
    ui.session.view.head = first[layout.head] * std::max<std::int64_t>(1, theirs.seen->trace->num_heads()) / slices;
  }
}

// A stage's name with the mark of its verdict.
struct StageMark {
  Icon icon;
  Rgba color;
  const char* tip;
};

StageMark mark_of(Ui& ui, const StageComparison& stage) {
  if (stage.equal) return {Icon::check, ui.colors.ok, "It equals ours, given your stages before it."};
  if (!stage.explanations.empty()) {
    return {Icon::warning, ui.colors.warn, "It differs, and a known mistake explains it."};
  }
  return {Icon::close, ui.colors.bad, "It differs, and no known mistake explains it."};
}

float chip_width(Ui& ui, const StageComparison& stage) {
  return std::ceil(text_width(ui, Type::mono12, stage_name(stage.stage))) + ui.px(34);
}

void draw_chip(Ui& ui, const StageComparison& stage, bool on, const Rect& rect) {
  const StageMark mark = mark_of(ui, stage);
  const Interaction it =
      interact(ui, fmt::format("bug_lab/theirs/{}", stage_name(stage.stage)), rect, {true, false, mark.tip});
  const float radius = ui.px(size::radius_field);
  fill(rect, on ? ui.colors.tint : it.hovered ? ui.colors.hover : ui.colors.raised, radius);
  outline(ui, rect, on ? ui.colors.accent : ui.colors.line, 1, radius);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, radius);
  draw_icon(ui, mark.icon, {rect.min.x + ui.px(13), std::round(rect.center().y)}, ui.px(11), mark.color);
  text_in(ui, {{rect.min.x + ui.px(24), rect.min.y}, rect.max}, Type::mono12, ui.colors.text, stage_name(stage.stage));
  if (it.clicked) show_stage(ui, stage.stage);
}

// Every stage side by side, or, where there is no room for that, in a list.
void draw_stage_chooser(Ui& ui, const TheirsView& theirs, Rect& line, float kept) {
  const std::vector<StageComparison>& stages = theirs.seen->diagnosis.stages;
  float all = 0;
  for (const StageComparison& each : stages) all += chip_width(ui, each) + ui.px(4);
  if (all <= line.width() - kept) {
    for (const StageComparison& each : stages) {
      draw_chip(ui, each, each.stage == theirs.stage, take_left(line, chip_width(ui, each), ui.px(4)));
    }
    line.min.x += ui.px(8);
    return;
  }
  std::vector<std::string> items;
  int selected = 0;
  for (const StageComparison& each : stages) {
    if (each.stage == theirs.stage) selected = static_cast<int>(items.size());
    items.push_back(fmt::format("{}: {}", stage_name(each.stage), each.verdict()));
  }
  if (combo(ui, "bug_lab/theirs", take_left(line, std::min(ui.px(230), line.width()), ui.px(12)), items, selected,
            {{true, false, "Your stages, each with its verdict. D: the next one that differs."}})) {
    show_stage(ui, stages[static_cast<std::size_t>(selected)].stage);
  }
}

void draw_head_chooser(Ui& ui, const TheirsView& theirs, Rect& line) {
  const Trace& ours = *theirs.seen->ours;
  const std::int64_t heads = slice_count(ours, theirs.stage);
  if (heads < 2) return;
  const std::vector<std::int64_t>& wrong = judged(theirs).where.heads;
  std::vector<std::string> items;
  for (std::int64_t h = 0; h < heads; ++h) {
    const bool differs = std::find(wrong.begin(), wrong.end(), h) != wrong.end();
    items.push_back(fmt::format("head {}{}", h, differs ? " differs" : ""));
  }
  int selected = static_cast<int>(slice_of_head(ours, theirs.stage, selection_of(ui.session.view, ours).head));
  if (combo(ui, "bug_lab/head", take_left(line, ui.px(132), ui.px(12)), items, selected,
            {{true, false, "The head whose matrix is shown ([ and ])."}, Type::words12})) {
    ui.session.view.head = selected * std::max<std::int64_t>(1, ours.num_heads()) / heads;
  }
}

}  // namespace

const TheirsView& theirs_view(Ui& ui) {
  TheirsView& theirs = bug_lab_data(ui).theirs;
  const auto newest = ui.session.jobs.comparison();
  if (newest != theirs.seen) {
    theirs.seen = newest;
    theirs.marks = {};
    theirs.on = newest != nullptr;
    if (newest != nullptr) {
      const Diagnosis& found = newest->diagnosis;
      show_stage(ui, found.first_different.value_or(found.stages.front().stage));
    }
  }
  // What was compared with an older result says nothing of the one on screen.
  if (theirs.seen != nullptr && theirs.seen->trace != ui.session.trace()) theirs.on = false;
  return theirs;
}

void draw_lab_sides_switch(Ui& ui, Rect& line) {
  TheirsView& theirs = bug_lab_data(ui).theirs;
  if (theirs.seen == nullptr || theirs.seen->trace != ui.session.trace()) return;
  int side = theirs.on ? 1 : 0;
  if (segments(ui, "bug_lab/sides", take_right(line, ui.px(190), ui.px(12)), {"mistakes", "my tensors"}, side,
               {true, false, "The picked mistakes, or the tensors of your own code, each beside the right ones."})) {
    theirs.on = side == 1;
  }
}

void draw_theirs_header(Ui& ui, const Rect& area) {
  const TheirsView& theirs = theirs_view(ui);
  const float top = std::round(area.center().y - ui.px(kChipHeight / 2));
  Rect line{{area.min.x + ui.px(size::panel_padding), top},
            {area.max.x - ui.px(size::panel_padding), top + ui.px(kChipHeight)}};
  draw_lab_sides_switch(ui, line);
  draw_stage_chooser(ui, theirs, line, ui.px(150));
  draw_head_chooser(ui, theirs, line);
  const std::string shape = to_string(theirs.seen->ours->tensor(theirs.stage).shape());
  if (line.width() > text_width(ui, Type::words12, shape)) text_in(ui, line, Type::words12, ui.colors.text2, shape);
}

void draw_theirs_pictures(Ui& ui, const Rect& area) {
  const Rect inner{{area.min.x + ui.px(kLabGutter), area.min.y + ui.px(4)},
                   {area.max.x - ui.px(size::panel_padding), area.max.y - ui.px(kLabReadout + kMarksRoom)}};
  if (inner.width() < ui.px(120) || inner.height() < ui.px(80)) return;
  TheirsView& theirs = bug_lab_data(ui).theirs;
  const TensorComparison& found = *theirs.seen;
  const Selection selection = selection_of(ui.session.view, *found.ours);
  LabSides sides;
  sides.data = {data_of(ui, theirs.data[0], found.theirs), data_of(ui, theirs.data[1], found.ours),
                data_of(ui, theirs.data[2], found.difference)};
  sides.titles = {"Theirs", "Ours", "Theirs \u2212 ours"};
  sides.words = {"theirs", "ours", "theirs \u2212 ours"};
  sides.stage = theirs.stage;
  sides.batch = selection.batch;
  sides.head = selection.head;
  const LabMarks& marks = lab_marks(ui, selection.batch, slice_of_head(*found.ours, theirs.stage, selection.head));
  sides.marks = &marks;
  sides.largest = marks.largest;
  draw_lab_values(ui, sides, lab_columns(ui, inner, BugLabView::Shows::side_by_side), inner);
  draw_lab_readout(ui, sides, {{inner.min.x, area.max.y - ui.px(kLabReadout)}, {inner.max.x, area.max.y}});
}

void next_wrong_stage(Ui& ui) {
  const TheirsView& theirs = theirs_view(ui);
  const std::vector<StageComparison>& stages = theirs.seen->diagnosis.stages;
  const std::size_t count = stages.size();
  std::size_t at = 0;
  while (stages[at].stage != theirs.stage) ++at;
  for (std::size_t k = 1; k <= count; ++k) {
    const StageComparison& next = stages[(at + k) % count];
    if (next.equal) continue;
    return show_stage(ui, next.stage);
  }
}

}  // namespace headscope::ui
