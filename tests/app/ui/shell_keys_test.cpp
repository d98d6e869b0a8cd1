// The whole window by keys alone: Tab, Enter, arrows and the shortcuts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "app/ui/command_list.h"
#include "app/ui/shortcuts.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(Shell, ReachesEveryControlByTabAndComesBack) {
  Driver d;
  for (const char* name : {"request/more", "request/compute"}) {
    d.tab_to(name);
    d.key(KeyName::enter);
  }
  std::vector<std::string> visited;
  d.state.focus.clear();
  for (int i = 0; i < 300; ++i) {
    d.key(KeyName::tab);
    if (!visited.empty() && d.focus() == visited.front()) break;
    visited.push_back(d.focus());
  }
  const std::set<std::string> seen(visited.begin(), visited.end());
  EXPECT_EQ(seen.size(), visited.size()) << "Tab visits nothing twice in a round";
  for (const char* name : {"phrase",
                           "phrase/key_phrase",
                           "phrase/tokens",
                           "request/weights",
                           "request/seed",
                           "request/d_model",
                           "request/num_heads",
                           "request/more",
                           "request/input_dim",
                           "request/batch",
                           "request/kv_heads",
                           "request/init_gain",
                           "request/embedding",
                           "request/position",
                           "request/qkv_layout",
                           "request/mask/causal",
                           "request/mask/window",
                           "request/mask/prefix",
                           "request/mask/padding",
                           "request/mask/alibi",
                           "request/mask/file...",
                           "request/mask_order",
                           "request/mask_fill",
                           "request/fully_masked",
                           "request/scale",
                           "request/softcap",
                           "request/dropout",
                           "request/merge",
                           "request/keys",
                           "request/compute",
                           "request/backend",
                           "request/threads",
                           "request/stage-memory",
                           "request/copy_command"}) {
    EXPECT_TRUE(seen.count(name)) << name;
  }
  d.key(KeyName::tab, false, true);
  EXPECT_EQ(d.focus(), visited.back()) << "Shift+Tab goes back";
}

TEST(Shell, PressesTheFocusedControlByEnterAndSpace) {
  Driver d;
  d.tab_to("request/mask/window");
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.draft.mask.size(), 2u);
  d.type(" ");
  EXPECT_EQ(d.session.draft.mask.size(), 1u);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex") << "the blank went nowhere else";
}

TEST(Shell, WalksACombosListByKeys) {
  Driver d;
  d.tab_to("request/fully_masked");
  d.key(KeyName::enter);
  EXPECT_EQ(d.state.open_combo, "request/fully_masked");
  d.key(KeyName::down);
  d.key(KeyName::down);
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.draft.fully_masked, FullyMasked::uniform);
  EXPECT_EQ(d.state.open_combo, "");
  d.key(KeyName::up);
  EXPECT_EQ(d.session.draft.fully_masked, FullyMasked::zero) << "Up walks without opening";
  d.key(KeyName::enter);
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.open_combo, "");
  EXPECT_EQ(d.focus(), "request/fully_masked");
}

TEST(Shell, ReadsEveryShortcutOfTheTable) {
  std::set<std::string> seen;
  for (const CommandInfo& info : command_list()) {
    EXPECT_NE(std::string(info.title), "");
    EXPECT_NE(std::string(info.help), "");
    const std::string shortcut = info.shortcut;
    if (shortcut.empty()) continue;
    EXPECT_TRUE(seen.insert(shortcut).second) << shortcut << " is there twice";
    if (shortcut.size() == 1 && !std::isalnum(static_cast<unsigned char>(shortcut[0]))) continue;  // a typed character
    const std::size_t plus = shortcut.rfind('+');
    EXPECT_NE(key_named(plus == std::string::npos ? shortcut : shortcut.substr(plus + 1)), KeyName::unknown)
        << shortcut;
  }
}

TEST(Shell, MatchesShortcutsByExactModifiers) {
  const auto event = [](KeyName key, bool ctrl, bool shift, bool alt) {
    KeyEvent e;
    e.key = key;
    e.ctrl = ctrl;
    e.shift = shift;
    e.alt = alt;
    return e;
  };
  EXPECT_TRUE(shortcut_matches("Ctrl+Z", event(KeyName::z, true, false, false)));
  EXPECT_FALSE(shortcut_matches("Ctrl+Z", event(KeyName::z, true, true, false)));
  EXPECT_TRUE(shortcut_matches("Ctrl+Shift+Z", event(KeyName::z, true, true, false)));
  EXPECT_FALSE(shortcut_matches("F1", event(KeyName::f1, false, false, true)));
  EXPECT_TRUE(shortcut_matches("Ctrl+Plus", event(KeyName::plus, true, true, false)))
      << "plus is a shifted key on many keyboards";
  EXPECT_FALSE(shortcut_matches("Meta+Z", event(KeyName::z, true, false, false)));
}

TEST(Shell, CarriesOutTheShortcuts) {
  Driver d;
  d.ctrl(KeyName::t);
  EXPECT_EQ(d.settings.theme, Theme::light);
  EXPECT_EQ(d.settings.theme, Theme::light);
  d.ctrl(KeyName::plus);
  EXPECT_NEAR(d.settings.ui_scale, 1.1, 1e-9);
  d.ctrl(KeyName::zero);
  EXPECT_EQ(d.settings.ui_scale, 1);
  d.ctrl(KeyName::e);
  EXPECT_EQ(d.state.dialog, DialogKind::export_dialog);
  d.key(KeyName::escape);
  d.ctrl(KeyName::p);
  EXPECT_EQ(d.state.dialog, DialogKind::palette);
  d.key(KeyName::escape);
  d.ctrl(KeyName::g);
  EXPECT_EQ(d.state.dialog, DialogKind::go_to);
  d.key(KeyName::escape);
  d.key(KeyName::three, false, false, true);
  EXPECT_EQ(d.session.view.head, 3);
  d.key(KeyName::nine, false, false, true);
  EXPECT_EQ(d.session.view.head, 3) << "there is no head 9";
  d.key(KeyName::escape);
  EXPECT_EQ(d.focus(), "");
  d.type("]");
  EXPECT_EQ(d.session.view.head, 4);
  d.type("[[");
  EXPECT_EQ(d.session.view.head, 2);
  d.key(KeyName::page_down, true);
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.ctrl(KeyName::l);
  EXPECT_EQ(d.focus(), "phrase");
  d.type("]");
  EXPECT_EQ(d.session.view.head, 2) << "in a field it is a character";
  d.ctrl(KeyName::q);
  ASSERT_EQ(d.for_main.size(), 1u);
  EXPECT_EQ(d.for_main[0].id, CommandId::quit);
}

}  // namespace
}  // namespace headscope::ui
