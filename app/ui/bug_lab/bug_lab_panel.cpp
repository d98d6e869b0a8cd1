#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/control_words.h"
#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/data_versions.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/operation_text.h"
#include "core/compare/variant_run.h"

namespace headscope::ui {
namespace {

constexpr float kList = 300, kNarrowList = 250, kNarrowBelow = 1400;
constexpr float kBelow = 236, kLowBelow = 184, kLowUnder = 700;  // what stands under the pictures

std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " + ") + name;
  return text.empty() ? "no mistake" : text;
}

// The stage that is asked for, or the nearest that both traces have.
StageId shown_stage(const VariantResult& result, StageId wanted) {
  if (result.right->find(wanted) != nullptr) return wanted;
  if (result.effect && result.effect->first_different) return *result.effect->first_different;
  return result.last;
}

// The next stage after the shown one that differs, around the end.
void next_different(Ui& ui, const LabShown& shown) {
  if (!shown.result.effect) return;
  const auto& stages = shown.result.effect->stages;
  const auto count = stages.size();
  std::size_t at = 0;
  while (at < count && stages[at].stage != shown.stage) ++at;
  for (std::size_t k = 1; k <= count; ++k) {
    const StageDifference& next = stages[(at + k) % count];
    if (next.same_shape && next.equal) continue;
    ui.session.view.bug_lab.stage = next.stage;
    return;
  }
}

void draw_stage_combo(Ui& ui, const LabShown& shown, Rect& line) {
  std::vector<std::string> items;
  std::vector<StageId> stages;
  int selected = 0;
  for (const Stage& stage : shown.result.right->stages) {
    const StageDifference* difference = shown.result.effect ? shown.result.effect->find(stage.id) : nullptr;
    const bool equal = difference != nullptr && difference->same_shape && difference->equal;
    if (stage.id == shown.stage) selected = static_cast<int>(stages.size());
    items.push_back(std::string(stage_name(stage.id)) + (equal ? " =" : ""));
    stages.push_back(stage.id);
  }
  const Rect place = take_left(line, ui.px(150), ui.px(12));
  if (combo(
          ui, "bug_lab/stage", place, items, selected,
          {{true, false,
            "Which tensor is compared; = marks those that the mistake leaves equal. D: the next one that differs."}})) {
    ui.session.view.bug_lab.stage = stages[static_cast<std::size_t>(selected)];
  }
}

void draw_head_combo(Ui& ui, const LabShown& shown, Rect& line) {
  const std::int64_t heads = slice_count(*shown.result.right, shown.stage);
  if (heads < 2) return;
  std::vector<std::string> items;
  for (std::int64_t h = 0; h < heads; ++h) items.push_back(fmt::format("head {}", h));
  int selected = static_cast<int>(slice_of_head(*shown.result.right, shown.stage, shown.head));
  if (combo(ui, "bug_lab/head", take_left(line, ui.px(92), ui.px(12)), items, selected,
            {{true, false, "The head whose matrix is shown ([ and ])."}, Type::words12})) {
    ui.session.view.head = selected;
  }
}

void draw_header(Ui& ui, const LabShown& shown, const Rect& area) {
  BugLabView& lab = ui.session.view.bug_lab;
  const float top = std::round(area.center().y - ui.px(12));
  Rect line{{area.min.x + ui.px(size::panel_padding), top},
            {area.max.x - ui.px(size::panel_padding), top + ui.px(size::control_height)}};
  draw_lab_sides_switch(ui, line);
  int shows = static_cast<int>(lab.shows);
  if (segments(ui, "bug_lab/shows", take_right(line, ui.px(area.width() < ui.px(900) ? 220 : 300), ui.px(12)),
               {"right", "wrong", "side by side"}, shows,
               {true, false, "The request without the mistakes, with them, or both and their difference."})) {
    lab.shows = static_cast<BugLabView::Shows>(shows);
  }
  const auto words = [&](Type type, Rgba color, const std::string& text, float gap) {
    const float width = std::min(std::ceil(text_width(ui, type, text)) + 1, std::max(line.width(), 0.0f));
    text_in(ui, take_left(line, width, ui.px(gap)), type, color, text);
  };
  words(Type::mono_bold12, ui.colors.text, names_text(shown.result.of.picked), 14);
  words(Type::words12, ui.colors.text2, "on stage", 8);
  draw_stage_combo(ui, shown, line);
  draw_head_combo(ui, shown, line);
  const Trace& right = *shown.result.right;
  const std::string shape = to_string(right.tensor(shown.stage).shape());
  const std::string mask = mask_step_text(right.request, *right.inputs);
  const std::string masked = shape + ", " + (mask.starts_with("+ ") ? mask.substr(2) : mask);
  const std::string layer = right.inputs->checkpoint == nullptr ? "" : fmt::format(", layer {}", right.inputs->layer);
  const std::string fact =
      fitting_words(ui, Type::words12, line.width(), {masked + layer, shape + layer, shape, std::string()});
  words(Type::words12, ui.colors.text2, fact, 8);
}

void draw_refusal(Ui& ui, const Rect& area, const std::string& title, const std::string& detail) {
  const Rect place{{area.min.x + ui.px(24), area.min.y + ui.px(24)}, {area.max.x - ui.px(24), area.max.y}};
  text(ui, place.min, Type::title13, ui.colors.text, title);
  paragraph(ui,
            {{place.min.x, place.min.y + ui.px(26)}, {std::min(place.max.x, place.min.x + ui.px(640)), place.max.y}},
            Type::words13, ui.colors.text2, detail);
  ui.mark("bug_lab/refusal", place);
}

// Up and Down walk through the list.
void read_keys(Ui& ui, const LabShown& shown) {
  const std::string& focus = ui.state.focus;
  if (focus.starts_with(kLabList)) {
    LabNames sorted = lab_names(ui, shown.result);
    std::vector<std::string> names = std::move(sorted.open);
    if (ui.state.panels.get<BugLabState>().locked_open) {
      names.insert(names.end(), sorted.locked.begin(), sorted.locked.end());
    }
    const auto found = std::find(names.begin(), names.end(), focus.substr(std::string_view(kLabList).size()));
    const auto at = found - names.begin();
    const auto go = [&](std::ptrdiff_t to) {
      if (to < 0 || to >= static_cast<std::ptrdiff_t>(names.size())) return;
      ui.state.focus = fmt::format("{}{}", kLabList, names[static_cast<std::size_t>(to)]);
      ui.state.focus_by_keyboard = true;
      ui.state.reveal_focus = true;
    };
    if (ui.take_key(KeyName::down)) go(at + 1);
    if (ui.take_key(KeyName::up)) go(at - 1);
  }
  if (!focus.empty() && !focus.starts_with("bug_lab")) return;  // letters belong to a field
  if (!ui.take_key(KeyName::d)) return;
  if (theirs_view(ui).on) return next_wrong_stage(ui);
  next_different(ui, shown);
}

}  // namespace

BugLabData& bug_lab_data(Ui& ui) {
  return ui.state.panels.get<BugLabData>();
}

PanelData* data_of(Ui& ui, std::shared_ptr<PanelData>& kept, const std::shared_ptr<const Trace>& trace) {
  if (trace == nullptr) return nullptr;
  if (!kept || kept->shared_trace() != trace) {
    std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
    made += 1;
    kept = std::make_shared<PanelData>(trace, static_cast<std::uint64_t>(made), &ui.session.background);
  }
  return kept.get();
}

float draw_lab_modes(Ui& ui, const Rect& area) {
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  Rect line = panel_header(ui, header, "", "");
  const float top = std::round(header.center().y - ui.px(12));
  line = {{line.min.x, top}, {line.max.x, top + ui.px(size::control_height)}};
  int mode = ui.session.view.bug_lab.precision ? 1 : 0;
  if (segments(ui, "bug_lab/mode", take_right(line, ui.px(150), 0), {"mistakes", "precision"}, mode,
               {true, false, "Known mistakes, or what number formats of fewer bits cost."})) {
    ui.session.view.bug_lab.precision = mode == 1;
  }
  horizontal_line(ui, area.min.x, area.max.x, header.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  return header.height();
}

std::string lab_focus(const Ui& ui) {
  const std::vector<std::string>& on = ui.session.view.bug_lab.variants;
  const std::string row = on.empty() ? std::string(variant_names().front()) : on.front();
  return fmt::format("{}{}", kLabList, row);
}

std::optional<ResultPair> lab_pair(Ui& ui) {
  const BugLabView& lab = ui.session.view.bug_lab;
  if (lab.precision) return std::nullopt;
  const auto result = ui.session.background.variant_numbers.want({ui.session.trace(), lab.variants});
  if (result == nullptr || result->right == nullptr || result->wrong == nullptr) return std::nullopt;
  return ResultPair{result->right, result->wrong, true, lab.stage};
}

void draw_bug_lab(Ui& ui, const Rect& area) {
  ui.mark("bug_lab", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr) return;
  const BugLabView& lab = ui.session.view.bug_lab;
  if (lab.precision) return draw_lab_precision(ui, area);
  const auto result = ui.session.background.variant_numbers.want({trace, lab.variants});
  if (result == nullptr) return;  // the first frame: the worker wakes the window
  LabShown shown{*result, nullptr, nullptr, nullptr};
  if (result->right) {
    BugLabData& data = bug_lab_data(ui);
    shown.right = data_of(ui, data.data[0], result->right);
    shown.wrong = data_of(ui, data.data[1], result->wrong);
    shown.difference = data_of(ui, data.data[2], result->difference);
    shown.stage = shown_stage(*result, lab.stage);
    const Selection selection = selection_of(ui.session.view, *result->right);
    shown.batch = selection.batch;
    shown.head = selection.head;
    read_keys(ui, shown);
    shown.stage = shown_stage(*result, ui.session.view.bug_lab.stage);
  }
  Rect rest = area;
  const bool narrow = area.width() < ui.px(kNarrowBelow);
  const Rect list = take_left(rest, ui.px(narrow ? kNarrowList : kList), 0);
  draw_lab_list(ui, shown, list);
  vertical_line(ui, list.max.x, list.min.y, list.max.y, ui.colors.line);
  rest.min.x += std::max(1.0f, ui.px(1));
  if (!result->refusal.empty())
    return draw_refusal(ui, rest, "Nothing to compare here.", control_words(result->refusal));

  const TheirsView& theirs = theirs_view(ui);
  const Rect header{rest.min, {rest.max.x, rest.min.y + ui.px(size::panel_header)}};
  if (theirs.on) {
    draw_theirs_header(ui, header);
  } else {
    draw_header(ui, shown, header);
  }
  horizontal_line(ui, rest.min.x, rest.max.x, header.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
  const float below = ui.px(area.height() < ui.px(kLowUnder) ? kLowBelow : kBelow);
  const float split = rest.max.y - below;
  const Rect pictures{{rest.min.x, header.max.y}, {rest.max.x, split}};
  if (theirs.on) {
    draw_theirs_pictures(ui, pictures);
  } else if (shown.wrong == nullptr) {
    const Problem problem = control_words(*result->problem);
    draw_refusal(ui, pictures, problem.title, problem.detail);
  } else {
    draw_lab_pictures(ui, shown, pictures);
  }
  horizontal_line(ui, rest.min.x, rest.max.x, split, ui.colors.line);
  const float middle = std::round(rest.min.x + rest.width() * 0.54f);
  const Rect below_left{{rest.min.x, split + ui.px(1)}, {middle, rest.max.y}};
  if (theirs.on) {
    draw_lab_code(ui, *theirs.seen, theirs.stage, below_left);
  } else if (shown.wrong != nullptr) {
    draw_lab_verdicts(ui, shown, below_left);
  }
  vertical_line(ui, middle, split, rest.max.y, ui.colors.line);
  draw_lab_compare(ui, {{middle + ui.px(1), split + ui.px(1)}, rest.max});
}

}  // namespace headscope::ui
