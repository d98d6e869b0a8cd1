// The line below the menus: the groups of main views, the views of the shown group with their keys, where one is, the
// way back to one layer, and what unfolds everything.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

constexpr const char* kLeave = "leave";
constexpr const char* kLeaveKey = "Esc";
constexpr const char *kUnfold = "Unfold all", *kFold = "Fold", *kUnfoldKey = "F12";

// One view in the strip.
struct Entry {
  const MainViewInfo* info = nullptr;
  std::optional<ViewObstacle> obstacle;  // nothing: it can be shown
  float name = 0, key = 0;               // widths of its words, device pixels
  float width = 0;                       // of its place
};

// What there is room for; pixels of the device.
struct Fit {
  bool keys = true;  // beside the names
  float padding = 0, gap = 0;
};

std::string control_name(MainView view) {
  return std::string("views/") + main_view_word(view);
}

// The views of a group, or all.
std::vector<Entry> entries_of(Ui& ui, std::optional<ViewGroup> group) {
  std::vector<Entry> entries;
  for (const MainViewInfo& info : main_views()) {
    if (group && info.group != *group) continue;
    Entry entry;
    entry.info = &info;
    entry.obstacle = obstacle_of(ui, info);
    entry.name = std::ceil(text_width(ui, Type::title13, info.name)) + 1;
    entry.key = std::ceil(text_width(ui, Type::mono11, info.shortcut)) + 1;
    entries.push_back(entry);
  }
  return entries;
}

float total_width(const std::vector<Entry>& entries, float gap) {
  float total = gap * static_cast<float>(entries.size() - 1);
  for (const Entry& entry : entries) total += entry.width;
  return total;
}

// Makes the widest entries narrower until all have room: short names stay whole.
void narrow(std::vector<Entry>& entries, float room) {
  std::vector<float> widths;
  for (const Entry& entry : entries) widths.push_back(entry.width);
  std::sort(widths.begin(), widths.end());
  float most = 0;
  for (std::size_t k = 0; k < widths.size(); ++k) {
    most = std::floor(room / static_cast<float>(widths.size() - k));
    if (widths[k] > most) break;
    room -= widths[k];
  }
  for (Entry& entry : entries) entry.width = std::min(entry.width, std::max(1.0f, most));
}

// First the keys go, then the distances, then the ends of the longest names. All views in a row have no keys.
Fit fit_into(Ui& ui, std::vector<Entry>& entries, float room, bool grouped) {
  for (const Fit fit : {Fit{true, ui.px(9), ui.px(9)}, Fit{true, ui.px(5), ui.px(5)}, Fit{false, ui.px(9), ui.px(7)},
                        Fit{false, ui.px(6), ui.px(3)}}) {
    if (fit.keys && !grouped) continue;
    for (Entry& entry : entries) {
      entry.width = entry.name + 2 * fit.padding + (fit.keys && entry.key > 1 ? ui.px(6) + entry.key : 0);
    }
    if (total_width(entries, fit.gap) <= room) return fit;
  }
  const Fit tight{false, ui.px(1), 0};
  narrow(entries, room - tight.gap * static_cast<float>(entries.size() - 1));
  return tight;
}

// What the entry is, or why it cannot be shown now.
std::string sentence_of(const Entry& entry) {
  const MainViewInfo& info = *entry.info;
  const std::string title = fmt::format("{} ({}). ", info.name, info.shortcut);
  if (entry.obstacle) return fmt::format("{}{} {}", title, entry.obstacle->fact, entry.obstacle->advice);
  return title + info.help;
}

// Left, Right, Home and End: the focus goes to the next entry that can be shown.
void move_along(Ui& ui, const std::vector<Entry>& entries, std::size_t at) {
  const int count = static_cast<int>(entries.size());
  const auto go = [&](int from, int by) {
    for (int k = from; k >= 0 && k < count; k += by) {
      const Entry& entry = entries[static_cast<std::size_t>(k)];
      if (entry.obstacle) continue;
      ui.state.focus = control_name(entry.info->view);
      ui.state.focus_by_keyboard = true;
      ui.state.wants_frame = true;
      return;
    }
  };
  const int here = static_cast<int>(at);
  if (ui.take_key(KeyName::left)) go(here - 1, -1);
  if (ui.take_key(KeyName::right)) go(here + 1, 1);
  if (ui.take_key(KeyName::home)) go(0, 1);
  if (ui.take_key(KeyName::end)) go(count - 1, -1);
}

void draw_entry(Ui& ui, const Entry& entry, const Rect& place, const Fit& fit, bool current, bool hovered) {
  const Palette& c = ui.colors;
  if (hovered && !current) fill(inset(place, ui.px(3)), c.hover, ui.px(size::radius_control));
  if (current)
    fill({{place.min.x + fit.padding, place.max.y - ui.px(3)}, {place.max.x - fit.padding, place.max.y}}, c.accent);
  const Rgba ink = entry.obstacle ? mix(c.text3, c.chrome, 0.45f) : current || hovered ? c.text : c.text2;
  Rect words{{place.min.x + fit.padding, place.min.y}, {place.max.x - fit.padding, place.max.y}};
  if (fit.keys && entry.key > 1) {
    text_in(ui, take_right(words, entry.key, ui.px(6)), Type::mono11, entry.obstacle ? ink : c.text2,
            entry.info->shortcut, 1);
  }
  text_in(ui, words, current ? Type::title13 : Type::words13, ink, entry.info->name, fit.keys ? 0.0f : 0.5f);
}

// Opens the view of the group that was open last, else the first one that can open; the first says why where none can.
void open_group(Ui& ui, ViewGroup group) {
  const auto& lasts = ui.state.panels.get<ShellState>().last_of_group;
  const auto last = lasts.find(group);
  const MainViewInfo* chosen = last == lasts.end() ? nullptr : &main_view_info(last->second);
  if (chosen != nullptr && obstacle_of(ui, *chosen)) chosen = nullptr;
  for (const MainViewInfo& info : main_views()) {
    if (chosen == nullptr && info.group == group && !obstacle_of(ui, info)) chosen = &info;
  }
  for (const MainViewInfo& info : main_views()) {
    if (chosen == nullptr && info.group == group) chosen = &info;
  }
  if (ui.session.view.main_view != chosen->view) ui.push(chosen->command);
}

float groups_width(Ui& ui) {
  float width = ui.px(4);
  for (const ViewGroupInfo& group : view_groups()) width += text_width(ui, Type::title12, group.name) + ui.px(24);
  return std::ceil(width);
}

// The groups as one control. Its segments are "views/group/Why" in the probe.
void draw_groups(Ui& ui, const Rect& place, ViewGroup shown) {
  std::vector<std::string> names;
  std::string help;
  int selected = 0;
  for (const ViewGroupInfo& group : view_groups()) {
    if (group.group == shown) selected = static_cast<int>(names.size());
    names.emplace_back(group.name);
    help += fmt::format("{}{}: {}", help.empty() ? "" : "\n", group.name, group.help);
  }
  if (segments(ui, "views/group", place, names, selected, {true, false, help.c_str()})) {
    open_group(ui, view_groups()[static_cast<std::size_t>(selected)].group);
  }
}

// The x at the right end, which leaves what is shown instead of one layer.
void draw_leave(Ui& ui, Rect place, bool with_words) {
  const ControlState state{true, false, "Back to one layer: pipeline, heads, concat and inspector (Esc)."};
  const Interaction it = interact(ui, "views/leave", place, state);
  const Palette& c = ui.colors;
  const Rect box = inset(place, ui.px(2));
  if (it.hovered) fill({{place.min.x, box.min.y}, {place.max.x, box.max.y}}, c.hover, ui.px(size::radius_control));
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(4)), ui.px(size::radius_control));
  const Rgba ink = it.hovered ? c.text : c.text2;
  const Rect cross = take_right(place, ui.px(24), 0);
  draw_icon(ui, Icon::close, {cross.center().x, std::round(cross.center().y)}, ui.px(12), ink);
  if (with_words) {
    place.min.x += ui.px(8);
    text_in(ui, take_left(place, std::ceil(text_width(ui, Type::words12, kLeave)) + 1, ui.px(6)), Type::words12, ink,
            kLeave);
    text_in(ui, place, Type::mono11, c.text3, kLeaveKey);
  }
  if (it.clicked) ui.push(CommandId::one_layer);
}

// The caret at the right end, which unfolds all panels, or folds them again.
void draw_unfold(Ui& ui, Rect place, bool folded, bool with_words) {
  const ControlState state{
      true, false,
      folded ? "Unfolds every panel and shows all views in a row (F12)." : "Folds what was folded before (F12)."};
  const Interaction it = interact(ui, "views/unfold", place, state);
  const Palette& c = ui.colors;
  if (it.hovered) fill(inset(place, ui.px(3)), c.hover, ui.px(size::radius_control));
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(4)), ui.px(size::radius_control));
  const Rgba ink = it.hovered ? c.text : c.text2;
  const Rect caret = take_left(place, ui.px(22), 0);
  draw_icon(ui, folded ? Icon::chevron_down : Icon::chevron_right, {caret.center().x, std::round(caret.center().y)},
            ui.px(10), ink);
  if (with_words) {
    const char* words = folded ? kUnfold : kFold;
    text_in(ui, take_left(place, std::ceil(text_width(ui, Type::words13, words)) + 1, ui.px(6)), Type::words13, ink,
            words);
    text_in(ui, place, Type::mono11, c.text2, kUnfoldKey);
  }
  if (it.clicked) ui.push(CommandId::unfold_all);
}

// The widths of what stands at the right end, and whether it has words.
struct RightEnd {
  float leave = 0, unfold = 0;
  bool words = true;
  float width() const { return leave + unfold; }
};

RightEnd right_end(Ui& ui, bool folded, bool words) {
  RightEnd end{ui.px(24), ui.px(26), words};
  if (!words) return end;
  end.leave += std::ceil(text_width(ui, Type::words12, kLeave) + text_width(ui, Type::mono11, kLeaveKey)) + ui.px(16);
  end.unfold +=
      std::ceil(text_width(ui, Type::words13, folded ? kUnfold : kFold) + text_width(ui, Type::mono11, kUnfoldKey)) +
      ui.px(12);
  return end;
}

// Whether the whole names of all views have room in a row. Where they have not, the row is that of a group.
bool all_have_room(Ui& ui, float room) {
  std::vector<Entry> entries = entries_of(ui, std::nullopt);
  return fit_into(ui, entries, room - right_end(ui, false, false).width(), false).padding >= ui.px(6);
}

void draw_entries(Ui& ui, const std::vector<Entry>& entries, const Fit& fit, MainView shown, float x,
                  const Rect& line) {
  const bool focus_here = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return ui.state.focus == control_name(entry.info->view);
  });
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& entry = entries[k];
    const bool current = entry.info->view == shown;
    const std::string name = control_name(entry.info->view), sentence = sentence_of(entry);
    const Rect place{{x, line.min.y}, {x + entry.width, line.max.y}};
    const bool stop = focus_here ? ui.state.focus == name : current;
    const ControlState state{!entry.obstacle.has_value(), false, sentence.c_str()};
    const Interaction it = interact(ui, name, place, state, stop);
    draw_entry(ui, entry, place, fit, current, it.hovered);
    if (k > 0 && entries[k - 1].info->group != entry.info->group) {
      const float middle = std::round(place.center().y), at = std::round(x - fit.gap / 2);
      vertical_line(ui, at, middle - ui.px(8), middle + ui.px(8), ui.colors.edge);
    }
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(4)), ui.px(size::radius_control));
    if (it.focused) move_along(ui, entries, k);
    if (it.clicked && ui.session.view.main_view != entry.info->view) ui.push(entry.info->command);
    x += entry.width + fit.gap;
  }
}

}  // namespace

void draw_view_strip(Ui& ui, const Rect& area) {
  ui.mark("views", area);
  const Rect line{area.min, {area.max.x, area.max.y - std::max(1.0f, ui.px(1))}};
  const bool folded = is_folded(panel_layout_of(ui.session.view));
  const MainView shown = shown_main_view(ui);
  const ViewGroup group = main_view_info(shown).group;
  const float edge = ui.px(size::panel_padding), right = line.max.x - edge;
  const bool grouped = ui.session.view.views_grouped || !all_have_room(ui, right - line.min.x - edge - ui.px(10));
  std::vector<Entry> entries = entries_of(ui, grouped ? std::optional(group) : std::nullopt);
  float x = line.min.x + edge;
  if (grouped) {
    const float width = groups_width(ui), top = std::round(line.center().y - ui.px(12));
    draw_groups(ui, {{x, top}, {x + width, top + ui.px(size::control_height)}}, group);
    x += width + ui.px(12);
  }
  const float room = right - x - ui.px(10);
  RightEnd end = right_end(ui, folded, true);
  Fit fit = fit_into(ui, entries, room - end.width(), grouped);
  if (grouped ? !fit.keys : total_width(entries, fit.gap) > room - end.width() || fit.padding < ui.px(6)) {
    end = right_end(ui, folded, false);
    fit = fit_into(ui, entries, room - end.width(), grouped);
  }
  draw_entries(ui, entries, fit, shown, x, line);
  const bool away = shown != MainView::layer || ui.state.panels.get<ShellState>().on_screen.enlarged;
  if (away) draw_leave(ui, {{right - end.width(), line.min.y}, {right - end.unfold, line.max.y}}, end.words);
  draw_unfold(ui, {{right - end.unfold, line.min.y}, {right, line.max.y}}, folded, end.words);
}

}  // namespace headscope::ui
