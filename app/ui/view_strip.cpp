// The line below the menus: the names of the main views with their keys, where one is, and the way back to one layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

constexpr const char* kLeave = "leave";
constexpr const char* kLeaveKey = "Esc";

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

std::vector<Entry> entries_of(Ui& ui) {
  std::vector<Entry> entries;
  for (const MainViewInfo& info : main_views()) {
    Entry entry;
    entry.info = &info;
    entry.obstacle = obstacle_of(ui, info);
    entry.name = std::ceil(text_width(ui, Type::title12, info.name)) + 1;
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

// First the keys go, then the distances, then the ends of the longest names.
Fit fit_into(Ui& ui, std::vector<Entry>& entries, float room) {
  for (const Fit fit : {Fit{true, ui.px(9), ui.px(9)}, Fit{true, ui.px(5), ui.px(5)}, Fit{false, ui.px(9), ui.px(7)},
                        Fit{false, ui.px(6), ui.px(3)}}) {
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
  const std::string title = fmt::format("{} ({}). ", info.title, info.shortcut);
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
  constexpr Rgba white{255, 255, 255, 255};
  const Rect box = inset(place, ui.px(2));
  const Rect ground{{place.min.x, box.min.y}, {place.max.x, box.max.y}};
  if (current) {
    fill(ground, c.accent_fill, ui.px(size::radius_control));
  } else if (hovered) {
    fill(ground, c.hover, ui.px(size::radius_control));
  }
  const Rgba ink = current ? white : entry.obstacle ? mix(c.text3, c.chrome, 0.45f) : hovered ? c.text : c.text2;
  Rect words{{place.min.x + fit.padding, place.min.y}, {place.max.x - fit.padding, place.max.y}};
  if (fit.keys && entry.key > 1) {
    const Rgba key_ink = current ? mix(white, c.accent_fill, 0.2f) : entry.obstacle ? ink : c.text3;
    text_in(ui, take_right(words, entry.key, ui.px(6)), Type::mono11, key_ink, entry.info->shortcut, 1);
  }
  text_in(ui, words, current ? Type::title12 : Type::words12, ink, entry.info->name, fit.keys ? 0.0f : 0.5f);
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

}  // namespace

void draw_view_strip(Ui& ui, const Rect& area) {
  ui.mark("views", area);
  const Rect line{area.min, {area.max.x, area.max.y - std::max(1.0f, ui.px(1))}};
  std::vector<Entry> entries = entries_of(ui);
  const float edge = ui.px(8);
  const float words = std::ceil(text_width(ui, Type::words12, kLeave) + text_width(ui, Type::mono11, kLeaveKey));
  const float cross = ui.px(24), leave = words + ui.px(8 + 6 + 2) + cross;
  const float room = line.width() - 2 * edge - ui.px(10);
  Fit fit = fit_into(ui, entries, room - leave);
  const bool leave_words = fit.keys;
  if (!leave_words) fit = fit_into(ui, entries, room - cross);
  const MainView shown = shown_main_view(ui);
  const bool focus_here = ui.state.focus.starts_with("views/") && ui.state.focus != "views/leave";
  float x = line.min.x + edge;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& entry = entries[k];
    const bool current = entry.info->view == shown;
    const std::string name = control_name(entry.info->view), sentence = sentence_of(entry);
    const Rect place{{x, line.min.y}, {x + entry.width, line.max.y}};
    const bool stop = focus_here ? ui.state.focus == name : current;
    const ControlState state{!entry.obstacle.has_value(), false, sentence.c_str()};
    const Interaction it = interact(ui, name, place, state, stop);
    draw_entry(ui, entry, place, fit, current, it.hovered);
    if (k > 0 && fit.keys) {
      const float middle = std::round(place.center().y), at = std::round(x - fit.gap / 2);
      vertical_line(ui, at, middle - ui.px(6), middle + ui.px(6), ui.colors.line);
    }
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(4)), ui.px(size::radius_control));
    if (it.focused) move_along(ui, entries, k);
    if (it.clicked && ui.session.view.main_view != entry.info->view) ui.push(entry.info->command);
    x += entry.width + fit.gap;
  }
  const bool away = shown != MainView::layer || ui.state.panels.get<ShellState>().on_screen.enlarged;
  const float width = leave_words ? leave : cross;
  if (away) draw_leave(ui, {{line.max.x - edge - width, line.min.y}, {line.max.x - edge, line.max.y}}, leave_words);
}

}  // namespace headscope::ui
