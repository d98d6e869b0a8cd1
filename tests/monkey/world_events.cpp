// What the desktop, the clock and the workers do; commands; promises that need steps of their own to be seen.
#include <utility>

#include "tests/monkey/event_kinds.h"
#include "tests/monkey/hostile.h"
#include "tests/monkey/promises.h"

namespace headscope::ui {

namespace {

Event make_nothing(Random&, const Hand&) {
  return {};
}

Event make_drop(Random& random, const Hand& hand) {
  return {"", {}, random.one_of(hand.scratch().files())};
}

std::string play_drop(Hand& hand, const Event& event) {
  InputEvents input;
  input.dropped.push_back(hand.scratch().resolved(event.text));
  hand.frame(std::move(input));
  return "";
}

Event make_resize(Random& random, const Hand&) {
  constexpr std::pair<int, int> sizes[] = {{1600, 1000}, {1280, 800}, {1280, 800}, {960, 640}, {700, 500},
                                           {400, 300},   {60, 40},    {1, 1},      {1, 900},   {1900, 1},
                                           {4000, 3000}, {3000, 200}, {300, 2500}};
  const auto& [width, height] = random.one_of(sizes);
  return {"", {width, height, 0, 0}};
}

std::string play_resize(Hand& hand, const Event& event) {
  hand.driver().resize(event.n[0], event.n[1]);
  return "";
}

Event make_scale(Random& random, const Hand&) {
  constexpr int percents[] = {50, 100, 100, 100, 125, 200, 400};
  return {"", {random.one_of(percents), 0, 0, 0}};
}

std::string play_scale(Hand& hand, const Event& event) {
  hand.driver().set_scale(static_cast<float>(event.n[0]) / 100);
  return "";
}

Event make_wait(Random& random, const Hand&) {
  constexpr int tenths[] = {1, 3, 5, 8, 20, 60, 36000};
  return {"", {random.one_of(tenths), 0, 0, 0}};
}

std::string play_wait(Hand& hand, const Event& event) {
  hand.driver().let_pass(event.n[0] / 10.0);
  return "";
}

// ---- commands and workers
Event make_command(Random& random, const Hand& hand) {
  const SomeCommand command = some_command(random, hand.scratch().files());
  return {"", {static_cast<int>(command.id), 0, 0, 0}, command.argument};
}

std::string play_command(Hand& hand, const Event& event) {
  hand.command(static_cast<CommandId>(event.n[0]), hand.scratch().resolved(event.text));
  return "";
}

Event make_option(Random& random, const Hand& hand) {
  return {"", {}, some_option(random, hand.scratch().files())};
}

std::string play_option(Hand& hand, const Event& event) {
  hand.command(CommandId::set_option, hand.scratch().resolved(event.text));
  return "";
}

Event make_late(Random& random, const Hand&) {
  return {"", {random.below(4), 0, 0, 0}};
}

// 0: workers answer late from now on; 1, 2: they do one or many pieces of work; 3: they answer at once again.
std::string play_late(Hand& hand, const Event& event) {
  switch (event.n[0]) {
    case 0:
      hand.work().hold();
      break;
    case 1:
      hand.work().work_off(1);
      break;
    case 2:
      hand.work().work_off(10);
      break;
    default:
      hand.work().let_go();
      break;
  }
  return "";
}

std::string play_tidy(Hand& hand, const Event&) {
  hand.scratch().tidy();
  return "";
}

const EventKind kWorldEventsKinds[] = {
    {"drop", 8, make_drop, play_drop},           {"resize", 10, make_resize, play_resize},
    {"scale", 3, make_scale, play_scale},        {"wait", 25, make_wait, play_wait},
    {"command", 80, make_command, play_command}, {"option", 40, make_option, play_option},
    {"late", 16, make_late, play_late},          {"undo_and_redo", 12, make_nothing, undo_and_redo},
    {"leave_all", 12, make_nothing, leave_all},  {"write_and_read", 12, make_nothing, write_and_read},
    {"tidy", 1, make_nothing, play_tidy},        {"home", 0, make_nothing, go_home},
};

}  // namespace

std::span<const EventKind> world_events() {
  return kWorldEventsKinds;
}

}  // namespace headscope::ui
