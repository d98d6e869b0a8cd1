#include "app/platform/input_queue.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

KeyEvent key(KeyName name, bool ctrl = false, bool shift = false) {
  return {.key = name, .ctrl = ctrl, .shift = shift};
}

void type(InputQueue& queue, char letter) {
  queue.add(key(static_cast<KeyName>(static_cast<int>(KeyName::a) + letter - 'a')));
  queue.add(static_cast<char32_t>(letter));
}

// What a text field would make of the portions: typing appends, Backspace takes one away, Ctrl+A and typing start anew.
std::string text_after(InputQueue& queue) {
  std::string text;
  bool selected = false;
  while (!queue.empty()) {
    const InputEvents portion = queue.take();
    for (const char32_t c : portion.characters) {
      if (selected) text.clear();
      selected = false;
      text += static_cast<char>(c);
    }
    for (const KeyEvent& k : portion.keys) {
      if (k.key == KeyName::a && k.ctrl) selected = true;
      if (k.key != KeyName::backspace) continue;
      selected ? text.clear() : text.pop_back();
      selected = false;
    }
  }
  return text;
}

TEST(InputQueueTest, TypingComesInOnePortion) {
  InputQueue queue;
  for (const char letter : std::string("hello")) type(queue, letter);
  const InputEvents portion = queue.take();
  EXPECT_EQ(portion.characters.size(), 5U);
  EXPECT_EQ(portion.keys.size(), 5U);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, BackspaceStaysBetweenTheLettersAroundIt) {
  InputQueue queue;
  type(queue, 'a');
  type(queue, 'b');
  queue.add(key(KeyName::backspace));
  type(queue, 'c');
  EXPECT_EQ(text_after(queue), "ac");
}

TEST(InputQueueTest, ShortcutsKeepTheirOrder) {
  InputQueue queue;
  type(queue, 'x');
  type(queue, 'y');
  queue.add(key(KeyName::a, true));
  queue.add(key(KeyName::backspace));
  type(queue, 'z');
  EXPECT_EQ(text_after(queue), "z");
}

TEST(InputQueueTest, AHeldKeyIsOnePortion) {
  InputQueue queue;
  for (int i = 0; i < 30; ++i) {
    KeyEvent left = key(KeyName::left);
    left.repeat = i > 0;
    queue.add(left);
  }
  queue.add(key(KeyName::left, false, true));
  EXPECT_EQ(queue.take().keys.size(), 30U);
  const InputEvents selecting = queue.take();
  ASSERT_EQ(selecting.keys.size(), 1U);
  EXPECT_TRUE(selecting.keys[0].shift);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, EveryPressIsAPortionOfItsOwn) {
  InputQueue queue;
  for (int i = 0; i < 3; ++i) queue.add(key(KeyName::left));
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(queue.empty());
    EXPECT_EQ(queue.take().keys.size(), 1U);
  }
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, DroppedFilesComeAtOnce) {
  InputQueue queue;
  type(queue, 'a');
  queue.add(key(KeyName::enter));
  queue.add_drop("/tmp/a.png");
  const InputEvents portion = queue.take();
  EXPECT_EQ(portion.dropped, std::vector<std::string>{"/tmp/a.png"});
  EXPECT_EQ(portion.characters.size(), 1U);
  EXPECT_EQ(queue.take().keys.size(), 1U);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.take().keys.empty());
}

MouseEvent move(float x, float y, bool shift = false) {
  return {.kind = MouseEvent::Kind::move, .x = x, .y = y, .shift = shift};
}

MouseEvent button(bool down, int which = 0) {
  return {.kind = MouseEvent::Kind::button, .button = which, .down = down};
}

TEST(InputQueueTest, APressAndItsReleaseAreTwoFrames) {
  InputQueue queue;
  queue.add(move(3, 4));
  queue.add(button(true));
  queue.add(button(false));
  queue.add(move(50, 60));
  const InputEvents press = queue.take();
  ASSERT_EQ(press.mouse.size(), 2U);
  EXPECT_EQ(press.mouse[0].x, 3) << "pressed where the pointer was then";
  EXPECT_TRUE(press.mouse[1].down);
  ASSERT_FALSE(queue.empty()) << "the loop must not rest now";
  const InputEvents release = queue.take();
  ASSERT_EQ(release.mouse.size(), 1U);
  EXPECT_FALSE(release.mouse[0].down);
  ASSERT_EQ(queue.take().mouse.size(), 1U);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, ADoubleClickKeepsBothClicks) {
  InputQueue queue;
  for (const bool down : {true, false, true, false}) queue.add(button(down));
  int frames = 0, presses = 0;
  for (; !queue.empty(); ++frames) presses += queue.take().mouse.at(0).down ? 1 : 0;
  EXPECT_EQ(frames, 4);
  EXPECT_EQ(presses, 2);
}

TEST(InputQueueTest, OfMovesInARowTheLastOneCounts) {
  InputQueue queue;
  for (int i = 0; i < 1000; ++i) queue.add(move(static_cast<float>(i), 1, i == 999));
  const InputEvents portion = queue.take();
  ASSERT_EQ(portion.mouse.size(), 1U);
  EXPECT_EQ(portion.mouse[0].x, 999);
  EXPECT_TRUE(portion.mouse[0].shift);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, WhatIsTypedAfterAClickComesAfterIt) {
  InputQueue queue;
  type(queue, 'a');
  queue.add(button(true));
  queue.add(button(false));
  type(queue, 'b');
  const InputEvents first = queue.take();
  EXPECT_EQ(first.characters.size(), 1U);
  EXPECT_TRUE(first.mouse.empty());
  EXPECT_EQ(queue.take().mouse.size(), 1U);
  EXPECT_EQ(queue.take().mouse.size(), 1U);
  EXPECT_EQ(queue.take().characters, std::vector<char32_t>{U'b'});
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, TypingAndTheWheelGoTogetherWhileThePointerMoves) {
  InputQueue queue;
  for (const char letter : std::string("hello")) {
    type(queue, letter);
    queue.add(move(1, 2));
    queue.add(MouseEvent{.kind = MouseEvent::Kind::wheel, .y = 1});
  }
  const InputEvents portion = queue.take();
  EXPECT_EQ(portion.characters.size(), 5U);
  EXPECT_EQ(portion.mouse.size(), 10U);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueueTest, EveryPortionOfANonEmptyQueueHoldsSomething) {
  InputQueue queue;
  const KeyName names[] = {KeyName::tab, KeyName::q, KeyName::space, KeyName::up, KeyName::f1, KeyName::zero};
  for (int i = 0; i < 60; ++i) {
    queue.add(key(names[i % 6], i % 5 == 0));
    if (i % 4 == 0) queue.add(U'é');
    if (i % 7 == 0) queue.add(button(i % 2 == 0, i % 3));
  }
  std::size_t keys = 0, characters = 0;
  while (!queue.empty()) {
    const InputEvents portion = queue.take();
    ASSERT_FALSE(portion.empty());
    keys += portion.keys.size();
    characters += portion.characters.size();
  }
  EXPECT_EQ(keys, 60U);
  EXPECT_EQ(characters, 15U);
}

}  // namespace
}  // namespace headscope
