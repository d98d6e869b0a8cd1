#include "app/ui/request/mask_chips.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "app/session/session.h"
#include "app/ui/file_choice.h"
#include "core/request/model_kind.h"
#include "core/request/model_text.h"

namespace headscope::ui {
namespace {

using Kind = MaskTerm::Kind;
using Labels = std::span<const std::string_view>;

constexpr const char* kPaint = "paint";
constexpr std::size_t kMostInRow = 4;
constexpr float kInset = 4;  // between a chip and its label, as chip() draws it

std::string name_of(const char* label) {
  return std::string("request/mask/") + label;
}

void set_term(Request& draft, Kind kind, bool on, std::int64_t size) {
  std::erase_if(draft.mask, [&](const MaskTerm& term) { return term.kind == kind; });
  if (on) draft.mask.push_back({kind, size, ""});
}

// A file is chosen in a dialog before it is a term.
void switch_term(Ui& ui, const MaskTermInfo& info, bool on) {
  if (info.kind == Kind::file && on) {
    ui.state.panels.get<FileChoice>() = {.purpose = "mask", .adds_mask_term = true};
    ui.state.dialog = DialogKind::choose_file;
    return;
  }
  ui.session.end_undo_step();
  set_term(ui.session.draft, info.kind, on, info.chip_number);
}

// One row of chips over the width of `line`: each is as wide as its label, and all get the same share of the rest.
// Adds their places; false when a label has no room in its chip.
bool place_row(Ui& ui, const Rect& line, Labels labels, std::vector<Rect>& places) {
  const float gap = ui.px(6), count = static_cast<float>(labels.size());
  // A chip that is on has the wider letters.
  const auto needed = [&](std::string_view label) { return text_width(ui, Type::title12, label); };
  float spare = line.width() - (count - 1) * gap;
  for (const std::string_view label : labels) spare -= needed(label);
  bool all_fit = true;
  float x = line.min.x;
  for (const std::string_view label : labels) {
    const float own = std::floor(needed(label) + spare / count);
    all_fit = all_fit && own >= needed(label) + 2 * ui.px(kInset);
    places.push_back({{x, line.min.y}, {x + own, line.max.y}});
    x += own + gap;
  }
  return all_fit;
}

// Four chips a row, or as few as have room for their labels. The panel goes on below them.
std::vector<Rect> place_chips(RequestRows& rows, Labels labels) {
  Ui& ui = rows.ui;
  if (rows.across) {
    std::vector<Rect> places;
    for (const std::string_view label : labels) {
      places.push_back(rows.place_across(std::ceil(text_width(ui, Type::title12, label)) + ui.px(18)));
      rows.next.x -= ui.px(8);
    }
    return places;
  }
  const float padding = ui.px(size::panel_padding);
  for (std::size_t columns = kMostInRow;; --columns) {
    const std::size_t count = (labels.size() + columns - 1) / columns;
    std::vector<Rect> places;
    bool all_fit = true;
    float y = rows.y;
    for (std::size_t row = 0, first = 0; row < count; ++row, y += ui.px(28)) {
      // The first rows have one chip more where they cannot all have the same number.
      const std::size_t size = labels.size() / count + (row < labels.size() % count ? 1 : 0);
      const Rect line{{rows.area.min.x + padding, y}, {rows.area.max.x - padding, y + ui.px(24)}};
      all_fit = place_row(ui, line, labels.subspan(first, size), places) && all_fit;
      first += size;
    }
    if (!all_fit && columns > 1) continue;
    rows.y += ui.px(static_cast<float>(28 * count + 4));
    return places;
  }
}

// A term that the model itself masks with, whatever the request says: lit, with a lock. False for other terms.
bool draw_own_chip(Ui& ui, const Rect& place, const MaskTermInfo& info) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || !same_base(trace->request.model, ui.session.draft.model)) return false;
  const std::vector<MaskTerm>& own = trace->inputs->own_mask;
  if (std::none_of(own.begin(), own.end(), [&](const MaskTerm& term) { return term.kind == info.kind; })) return false;
  const std::string name = name_of(info.chip) + "/own";
  const bool captured = runs_capture(ui.session.draft);
  const char* why = captured
                        ? "The capture was computed with it: its file says so, or every later key has weight 0. It "
                          "cannot be taken off."
                        : "The model's own mask: it was trained with it, and it cannot be taken off.";
  interact_mouse(ui, name, place, {false, false, why}, false);
  fill(place, ui.colors.tint, ui.px(size::radius_control));
  outline(ui, place, ui.colors.accent, 1, ui.px(size::radius_control));
  // In the corner: the label needs the width.
  draw_icon(ui, Icon::lock, {place.max.x - ui.px(5), place.min.y + ui.px(6)}, ui.px(8), ui.colors.text2);
  text_in(ui, inset(place, ui.px(kInset)), Type::words12, ui.colors.text, info.chip, 0.5f);
  return true;
}

}  // namespace

std::vector<const MaskTermInfo*> mask_chips() {
  std::vector<const MaskTermInfo*> infos;
  for (const MaskTermInfo& info : mask_term_infos()) infos.push_back(&info);
  std::sort(infos.begin(), infos.end(),
            [](const MaskTermInfo* a, const MaskTermInfo* b) { return a->chip_place < b->chip_place; });
  return infos;
}

MaskTerm* find_term(Request& draft, Kind kind) {
  for (MaskTerm& term : draft.mask) {
    if (term.kind == kind) return &term;
  }
  return nullptr;
}

void draw_mask_chips(RequestRows& rows) {
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  const std::vector<const MaskTermInfo*> infos = mask_chips();
  std::vector<std::string_view> labels;
  for (const MaskTermInfo* info : infos) labels.emplace_back(info->chip);
  labels.emplace_back(kPaint);
  const std::vector<Rect> places = place_chips(rows, labels);
  Rect all{places.front().min, places.back().max};
  for (const Rect& place : places) all.max.x = std::max(all.max.x, place.max.x);
  ui.mark("request/mask", all);
  // F8 goes to the first of them.
  if (ui.state.focus == "request/mask") ui.state.focus = name_of(infos.front()->chip);
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const MaskTermInfo& info = *infos[k];
    bool on = find_term(draft, info.kind) != nullptr;
    if (!on && draw_own_chip(ui, places[k], info)) continue;
    const bool takes_no_file = info.kind == Kind::file && runs_capture(draft) && !on;
    ControlState state =
        rows.state("mask", takes_no_file ? "A capture takes no mask file." : info.help, !takes_no_file);
    state.problem = state.problem && on;
    if (chip(ui, name_of(info.chip), places[k], info.chip, on, state)) switch_term(ui, info, on);
  }
  bool painted = !draft.paint.empty();
  if (chip(ui, name_of(kPaint), places.back(), kPaint, painted,
           rows.state("paint", "Opens the mask editor: cells, rows, columns and rectangles by hand (Ctrl+M)."))) {
    ui.push(CommandId::mask_editor);
  }
}

}  // namespace headscope::ui
