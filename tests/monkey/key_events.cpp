// What the random user does with the keyboard and the clipboard.
#include "tests/monkey/event_kinds.h"
#include "tests/monkey/hostile.h"

namespace headscope::ui {

namespace {

constexpr int kModifiers = 8;  // 1 ctrl, 2 shift, 4 alt, and their sums

Event make_key(Random& random, const Hand&) {
  const int key = random.below(static_cast<int>(KeyName::f12) + 1);
  return {"", {key, random.below(kModifiers), random.once_in(10) ? 1 : 0, 0}};
}

// Those that a hand looks for most.
Event make_usual_key(Random& random, const Hand&) {
  constexpr KeyName usual[] = {KeyName::tab,  KeyName::enter, KeyName::escape,  KeyName::space,     KeyName::left,
                               KeyName::up,   KeyName::down,  KeyName::right,   KeyName::backspace, KeyName::del,
                               KeyName::home, KeyName::end,   KeyName::page_up, KeyName::page_down, KeyName::z};
  const KeyName key = random.one_of(usual);
  const int modifiers = key == KeyName::z ? 1 : random.once_in(4) ? random.below(4) : 0;
  return {"", {static_cast<int>(key), modifiers, 0, 0}};
}

std::string play_key(Hand& hand, const Event& event) {
  hand.key({.key = static_cast<KeyName>(event.n[0]),
            .repeat = event.n[2] == 1,
            .ctrl = (event.n[1] & 1) != 0,
            .shift = (event.n[1] & 2) != 0,
            .alt = (event.n[1] & 4) != 0});
  return "";
}

Event make_type(Random& random, const Hand&) {
  return {"", {random.below(2), 0, 0, 0}, some_text(random)};
}

std::string play_type(Hand& hand, const Event& event) {
  hand.type(event.text, event.n[0] == 1);
  return "";
}

std::string play_paste(Hand& hand, const Event& event) {
  hand.driver().clipboard = hand.scratch().resolved(event.text);
  hand.key({.key = KeyName::v, .ctrl = true});
  return "";
}

const EventKind kKinds[] = {
    {"key", 120, make_key, play_key},
    {"usual_key", 110, make_usual_key, play_key},
    {"type", 70, make_type, play_type},
    {"paste", 15, make_type, play_paste},
};

}  // namespace

std::span<const EventKind> key_events() {
  return kKinds;
}

}  // namespace headscope::ui
