// Keys of a browser. The file knows no browser: it is compiled here as it is.
#include "app/platform/web/page_keys.cpp"

#include <gtest/gtest.h>

namespace headscope {
namespace {

PageKey pressed(const char* key, const char* code = "") {
  PageKey result;
  result.key = key;
  result.code = code;
  return result;
}

PageKey with_ctrl(PageKey key) {
  key.ctrl = true;
  return key;
}

TEST(PageKeys, AreNamedByWhatTheyPrint) {
  EXPECT_EQ(key_event(pressed("z", "KeyY"))->key, KeyName::z) << "a German keyboard";
  EXPECT_EQ(key_event(pressed("Z", "KeyY"))->key, KeyName::z);
  EXPECT_EQ(key_event(pressed("7", "Digit7"))->key, KeyName::seven);
  EXPECT_EQ(key_event(pressed("Enter"))->key, KeyName::enter);
  EXPECT_EQ(key_event(pressed("ArrowLeft"))->key, KeyName::left);
  EXPECT_EQ(key_event(pressed("F12"))->key, KeyName::f12);
  EXPECT_EQ(key_event(pressed(" "))->key, KeyName::space);
}

TEST(PageKeys, AreNamedByTheirPlaceWhereTheyPrintNoneOfOurs) {
  EXPECT_EQ(key_event(pressed("ф", "KeyA"))->key, KeyName::a);
  EXPECT_EQ(key_event(pressed("&", "Digit1"))->key, KeyName::one) << "AZERTY";
}

TEST(PageKeys, LeaveOutWhatTheWindowDoesNotKnow) {
  for (const char* key : {"Shift", "Control", "F13", "F1x", "AudioVolumeUp", ""}) {
    EXPECT_FALSE(key_event(pressed(key)).has_value()) << key;
  }
}

TEST(PageKeys, LeaveTheBrowserItsOwn) {
  EXPECT_FALSE(key_event(with_ctrl(pressed("v"))).has_value()) << "a paste is an event of its own";
  EXPECT_FALSE(key_event(with_ctrl(pressed("r"))).has_value());
  EXPECT_FALSE(key_event(pressed("F11")).has_value());
  PageKey tools = with_ctrl(pressed("I"));
  EXPECT_TRUE(key_event(tools).has_value());
  tools.shift = true;
  EXPECT_FALSE(key_event(tools).has_value());
}

TEST(PageKeys, AltStandsForCtrlWhereBrowsersKeepIt) {
  for (const char* key : {"n", "t", "w", "r", "PageUp", "PageDown"}) {
    PageKey alt = pressed(key);
    alt.alt = true;
    EXPECT_TRUE(key_event(alt)->ctrl) << key;
    EXPECT_FALSE(key_event(alt)->alt) << key;
  }
  PageKey tools = pressed("J");
  tools.alt = tools.shift = true;
  EXPECT_TRUE(key_event(tools)->ctrl) << "Ctrl+Shift+J opens the browser's tools";
  tools.shift = false;
  EXPECT_FALSE(key_event(tools)->ctrl) << "Ctrl+J is free";
  PageKey head = pressed("3");
  head.alt = true;
  EXPECT_TRUE(key_event(head)->alt) << "Alt and a digit show a head";
}

TEST(PageKeys, PlusAsksForNoShift) {
  PageKey plus = with_ctrl(pressed("+", "Equal"));
  plus.shift = true;
  EXPECT_EQ(key_event(plus)->key, KeyName::plus);
  EXPECT_FALSE(key_event(plus)->shift);
}

TEST(PageKeys, TypeTextWhenTheyPrintOneCharacter) {
  EXPECT_TRUE(types_text(pressed("a")));
  EXPECT_TRUE(types_text(pressed("ä")));
  EXPECT_TRUE(types_text(pressed("⛄")));
  EXPECT_FALSE(types_text(pressed("Enter")));
  EXPECT_FALSE(types_text(pressed("F1")));
  EXPECT_FALSE(types_text(with_ctrl(pressed("a"))));
  PageKey alt_gr = with_ctrl(pressed("@"));
  alt_gr.alt = true;
  EXPECT_TRUE(types_text(alt_gr)) << "AltGr is Ctrl and Alt on some systems";
  alt_gr.key = "c";
  EXPECT_FALSE(types_text(alt_gr)) << "Ctrl+Alt+C is a shortcut";
}

}  // namespace
}  // namespace headscope
