// The strip in which a lesson is recorded: numbers of the stops, the words of the chosen one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/session/lesson_stops.h"
#include "app/session/session.h"
#include "app/ui/guide/lesson_parts.h"
#include "app/ui/guide/lesson_strip.h"
#include "core/base/utf8.h"

namespace headscope::ui {

namespace {

constexpr float kChip = 26, kLeastWords = 200;
constexpr const char* kNone = "There is no stop yet: press + to add what is shown.";

Rect box_in(Ui& ui, const Rect& place) {
  const float top = std::round(place.center().y - ui.px(kChip / 2));
  return {{place.min.x, top}, {place.max.x, top + ui.px(kChip)}};
}

// The beginning, for a tooltip.
std::string first_words(const std::string& words) {
  constexpr std::size_t kMost = 80;
  if (words.size() <= kMost) return words;
  std::size_t end = 0;
  for (std::size_t next = next_grapheme(words, 0); next <= kMost; next = next_grapheme(words, next)) end = next;
  return words.substr(0, end) + "…";
}

// The chosen stop changes its place by one.
void move_stop(Ui& ui, int by) {
  Lesson& lesson = ui.session.view.lesson;
  int& stop = lesson_state(ui).stop;
  const int to = stop + by;
  if (to < 0 || to >= lesson_count(ui)) return;
  ui.session.end_undo_step();
  std::swap(lesson[static_cast<std::size_t>(stop)], lesson[static_cast<std::size_t>(to)]);
  stop = to;
}

void remove_stop(Ui& ui) {
  if (chosen_stop(ui) == nullptr) return;
  Lesson& lesson = ui.session.view.lesson;
  int& stop = lesson_state(ui).stop;
  ui.session.end_undo_step();
  lesson.erase(lesson.begin() + stop);
  stop = std::max(0, std::min(stop, lesson_count(ui) - 1));
}

// Left and Right choose the stop beside, with Alt they move the stop; Delete removes it.
void read_keys(Ui& ui, int stop) {
  constexpr std::pair<KeyName, int> kWays[] = {{KeyName::left, -1}, {KeyName::right, 1}};
  for (const auto& [key, by] : kWays) {
    if (ui.take_key(key) && stop + by >= 0 && stop + by < lesson_count(ui)) {
      show_lesson_stop(ui, stop + by);
      return focus_lesson(ui, stop_name(stop + by));
    }
    if (ui.take_key(key, false, false, true)) {
      move_stop(ui, by);
      return focus_lesson(ui, stop_name(lesson_state(ui).stop));
    }
  }
  if (!ui.take_key(KeyName::del)) return;
  remove_stop(ui);
  focus_lesson(ui, lesson_count(ui) > 0 ? stop_name(lesson_state(ui).stop) : "lesson/add");
}

void draw_chip(Ui& ui, const Rect& place, int stop) {
  const Palette& c = ui.colors;
  const std::string& words = ui.session.view.lesson[static_cast<std::size_t>(stop)].words;
  const bool chosen = stop == lesson_state(ui).stop;
  const std::string help =
      fmt::format("Stop {}{}{}. A click shows it; on it Alt+Left and Alt+Right move it, Delete removes it.", stop + 1,
                  words.empty() ? "" : ": ", first_words(words));
  const Interaction it = interact(ui, stop_name(stop), place, {true, false, help.c_str()}, chosen);
  fill(place, chosen ? c.accent_fill : it.hovered ? c.hover : c.raised, ui.px(size::radius_control));
  if (!chosen) outline(ui, place, c.edge, 1, ui.px(size::radius_control));
  text_in(ui, place, Type::title12, chosen ? Rgba{255, 255, 255, 255} : c.text2, std::to_string(stop + 1), 0.5f);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(2)), ui.px(size::radius_control));
  if (it.clicked) {
    show_lesson_stop(ui, stop);
    ui.state.focus = stop_name(stop);
  } else if (it.focused) {
    read_keys(ui, stop);
  }
}

// As many numbers as there is room for, the chosen one among them; then the button that adds one.
void draw_chips(Ui& ui, Rect& line) {
  const float chip = ui.px(kChip), gap = ui.px(4);
  const float room = line.width() - ui.px(kLeastWords) - chip - ui.px(10);
  const int count = lesson_count(ui), most = std::max(1, static_cast<int>((room + gap) / (chip + gap)));
  LessonState& state = lesson_state(ui);
  state.first_chip = std::clamp(state.first_chip, std::max(0, state.stop - most + 1), state.stop);
  state.first_chip = std::clamp(state.first_chip, 0, std::max(0, count - most));
  const int end = std::min(count, state.first_chip + most);
  for (int k = state.first_chip; k < end && k < lesson_count(ui); ++k) {
    draw_chip(ui, box_in(ui, take_left(line, chip, gap)), k);
  }
  const std::string help = fmt::format(
      "Adds what is shown now as stop {} (Ctrl+Shift+K). Stops are kept with the session, which Ctrl+S saves.",
      count == 0 ? 1 : state.stop + 2);
  if (icon_button(ui, "lesson/add", box_in(ui, take_left(line, chip, ui.px(10))), Icon::plus,
                  {true, false, help.c_str()})) {
    ui.push(CommandId::add_stop);
  }
}

void draw_words(Ui& ui, const Rect& place) {
  LessonStop* stop = chosen_stop(ui);
  std::string words = stop == nullptr ? "" : stop->words;
  const bool any = stop != nullptr;
  const ControlState state{any, false,
                           any ? "What is said at this stop." : "Add a stop first: it keeps what is shown."};
  const char* hint = any ? "What is to be seen here?" : "Show what you want to speak about, then press +.";
  if (text_field(ui, kLessonWords, box_in(ui, place), words, hint, state) && any) stop->words = words;
}

// The chosen stop shows what is on screen from now on.
void draw_keep(Ui& ui, Rect& line) {
  LessonStop* stop = chosen_stop(ui);
  const std::string shown = stop_of(ui.session.view, "").view;
  const bool other = stop != nullptr && stop->view != shown;
  const char* help = stop == nullptr ? kNone
                     : other         ? "The stop shows what is on screen now, instead of what it showed."
                                     : "The stop shows what is on screen.";
  if (!lesson_button(ui, line, {"lesson/keep", "Keep this view"}, {other, false, help})) return;
  ui.session.end_undo_step();
  stop->view = shown;
}

}  // namespace

void draw_lesson_recorder(Ui& ui, Rect line) {
  const bool any = chosen_stop(ui) != nullptr;
  const float title = std::ceil(text_width(ui, Type::title13, "Lesson"));
  text_in(ui, take_left(line, title, ui.px(12)), Type::title13, ui.colors.text, "Lesson");
  const auto icon = [&](const char* name, Icon what, const ControlState& state) {
    return icon_button(ui, name, box_in(ui, take_right(line, ui.px(kChip), ui.px(6))), what, state);
  };
  if (icon("lesson/close", Icon::close, {true, false, "Closes the strip; the stops stay (Ctrl+Shift+L)."}))
    ui.push(CommandId::toggle_lesson);
  if (lesson_button(ui, line, {"lesson/pictures", "Pictures"},
                    {any, false, any ? "Writes a numbered picture of the window for each stop." : kNone})) {
    ui.push(CommandId::lesson_pictures);
  }
  if (lesson_button(ui, line, {"lesson/play", "Play", true},
                    {any, false, any ? "Goes from stop to stop, with your words." : kNone})) {
    ui.push(CommandId::play_lesson);
  }
  if (icon("lesson/remove", Icon::minus, {any, false, any ? "Removes this stop; undo brings it back." : kNone}))
    remove_stop(ui);
  draw_keep(ui, line);
  draw_chips(ui, line);
  draw_words(ui, line);
}

}  // namespace headscope::ui
