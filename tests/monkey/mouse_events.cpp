// What the random user does with the mouse.
#include "tests/monkey/event_kinds.h"

namespace headscope::ui {

namespace {

using Names = std::vector<std::string>;

// A control of the last frame. First one of the rooms, so that many cells do not hide few buttons.
std::string some_control(Random& random, const Hand& hand) {
  const auto& rects = hand.driver().probe.rects;
  if (rects.empty()) return "";
  const auto room_of = [](const std::string& name) { return name.substr(0, name.find('/')); };
  Names rooms;
  for (const auto& [name, rect] : rects) {
    if (rooms.empty() || rooms.back() != room_of(name)) rooms.push_back(room_of(name));
  }
  const std::string room = random.one_of(rooms);
  Names controls;
  for (const auto& [name, rect] : rects) {
    if (room_of(name) == room) controls.push_back(name);
  }
  return random.one_of(controls);
}

// A place in a control: mostly well inside.
int share(Random& random) {
  return random.once_in(8) ? random.below(1200) - 100 : 100 + random.below(800);
}

Event on_control(Random& random, const Hand& hand) {
  return {"", {share(random), share(random), 0, 0}, some_control(random, hand)};
}

Event at_pixel(Random& random, const Hand&) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const auto place = [&](float most) { return random.below(static_cast<int>(most) + 20) - 10; };
  return {"", {place(size.x), place(size.y), 0, 0}};
}

ImVec2 pixel_of(const Event& event) {
  return {static_cast<float>(event.n[0]), static_cast<float>(event.n[1])};
}

Event make_nothing(Random&, const Hand&) {
  return {};
}

Event make_click(Random& random, const Hand& hand) {
  Event event = on_control(random, hand);
  event.n[2] = random.once_in(6) ? 2 + random.below(2) : 1;  // times
  event.n[3] = random.once_in(8) ? 1 + random.below(2) : 0;  // button
  return event;
}

std::string play_click(Hand& hand, const Event& event) {
  if (const auto at = hand.point_in(event)) hand.click(*at, event.n[3], event.n[2]);
  return "";
}

Event make_click_at(Random& random, const Hand& hand) {
  Event event = at_pixel(random, hand);
  event.n[2] = random.once_in(6) ? 2 : 1;
  event.n[3] = random.once_in(8) ? 1 + random.below(2) : 0;
  return event;
}

std::string play_click_at(Hand& hand, const Event& event) {
  hand.click(pixel_of(event), event.n[3], event.n[2]);
  return "";
}

std::string play_hover(Hand& hand, const Event& event) {
  if (const auto at = hand.point_in(event)) hand.move(*at);
  return "";
}

std::string play_leave_window(Hand& hand, const Event&) {
  hand.move({kNoPointer, kNoPointer});
  return "";
}

// From a control to a pixel.
Event make_drag(Random& random, const Hand& hand) {
  Event event = on_control(random, hand);
  const Event to = at_pixel(random, hand);
  event.n[2] = to.n[0];
  event.n[3] = to.n[1];
  return event;
}

std::string play_drag(Hand& hand, const Event& event) {
  const ImVec2 to{static_cast<float>(event.n[2]), static_cast<float>(event.n[3])};
  if (const auto from = hand.point_in(event)) hand.drag(*from, to);
  return "";
}

// A button that goes down, and may come up much later.
Event make_press(Random& random, const Hand&) {
  return {"", {random.below(3), random.below(2), 0, 0}};
}

std::string play_press(Hand& hand, const Event& event) {
  hand.button(event.n[0], event.n[1] == 1);
  return "";
}

Event make_wheel(Random& random, const Hand& hand) {
  Event event = on_control(random, hand);
  event.n[2] = random.below(21) - 10;  // tenths of a turn away
  event.n[3] = random.once_in(6) ? random.below(21) - 10 : 0;
  if (random.once_in(30)) event.n[2] *= 100;
  return event;
}

std::string play_wheel(Hand& hand, const Event& event) {
  if (const auto at = hand.point_in(event)) hand.move(*at);
  hand.wheel(static_cast<float>(event.n[3]) / 10, static_cast<float>(event.n[2]) / 10);
  return "";
}

Event make_shift(Random& random, const Hand&) {
  return {"", {random.below(2), 0, 0, 0}};
}

std::string play_shift(Hand& hand, const Event& event) {
  hand.driver().shift_held = event.n[0] == 1;
  return "";
}

const EventKind kEventsKinds[] = {
    {"click", 300, make_click, play_click}, {"click_at", 60, make_click_at, play_click_at},
    {"hover", 60, on_control, play_hover},  {"leave_window", 4, make_nothing, play_leave_window},
    {"drag", 40, make_drag, play_drag},     {"press", 12, make_press, play_press},
    {"wheel", 40, make_wheel, play_wheel},  {"shift", 8, make_shift, play_shift},
};

}  // namespace

std::span<const EventKind> mouse_events() {
  return kEventsKinds;
}

}  // namespace headscope::ui
