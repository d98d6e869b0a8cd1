// The cards of the first start: four ways in above the live window.
#include "app/ui/guide/start_cards.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/session/settings.h"
#include "app/ui/command_list.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide_state.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Driver& opened(Driver& d) {
  d.settings.start_open = true;
  d.step();
  return d;
}

TEST(StartCards, EveryWayLeadsToSomethingThatIsThere) {
  std::set<std::string> examples;
  for (const Example& example : all_examples()) examples.insert(example.id);
  for (const StartCard& card : start_cards()) {
    EXPECT_FALSE(card.ways.empty()) << card.word;
    for (const StartWay& way : card.ways) {
      EXPECT_NE(way.command, CommandId::none);
      EXPECT_TRUE(*way.text != '\0' || *way.name != '\0');
      if (way.command != CommandId::open_example) continue;
      EXPECT_TRUE(examples.contains(way.argument)) << way.argument;
    }
  }
}

TEST(StartCards, StandAboveTheLiveWindowUntilTheyAreClosed) {
  Driver d;
  EXPECT_FALSE(d.has("start"));
  opened(d);
  EXPECT_LE(d.rect("start").max.y, d.rect("phrase").min.y);
  EXPECT_TRUE(d.has("heads/0")) << "the window below is live";
  d.click("start/close");
  EXPECT_FALSE(d.has("start"));
  EXPECT_FALSE(d.settings.start_open);
  d.push(CommandId::start);
  d.step();
  EXPECT_TRUE(d.has("start")) << "Help, Start";
}

TEST(StartCards, ATutorialIsOneClickAway) {
  Driver d;
  opened(d).click("start/tutorial/2");
  d.step(3);
  EXPECT_EQ(d.session.document.title.find("demo"), std::string::npos);
  EXPECT_EQ(d.session.draft.model, "seeded");
  EXPECT_FALSE(d.session.draft.mask.empty()) << "001 is causal";
  EXPECT_TRUE(d.has("start")) << "another card may be tried";
}

TEST(StartCards, LeadToACheckpointToOnesTensorsAndToTheTour) {
  Driver d;
  opened(d).click("start/checkpoint/1");
  EXPECT_EQ(d.state.dialog, DialogKind::choose_file);
  d.key(KeyName::escape);
  d.click("start/tensors/1");
  EXPECT_EQ(d.state.dialog, DialogKind::choose_file);
  d.key(KeyName::escape);
  d.click("start/tensors/2");
  EXPECT_EQ(d.session.view.main_view, MainView::bug_lab);
  d.click("start/tour");
  EXPECT_TRUE(d.state.panels.get<TourState>().step.has_value());
}

struct Window {
  int width, height;
  float scale;
};
constexpr Window kWindows[] = {{960, 640, 1}, {1280, 800, 1}, {1280, 800, 1.3f}, {2560, 1440, 2}};

TEST(StartCards, FitEverySizeInBothLanguages) {
  for (const char* language : {"en", "es"}) {
    for (const Window& window : kWindows) {
      SCOPED_TRACE(std::string(language) + " " + std::to_string(window.width));
      Driver d(window.width, window.height, window.scale);
      d.settings.language = language;
      opened(d);
      const Rect all = d.rect("start");
      EXPECT_LE(all.max.x, static_cast<float>(window.width));
      for (const StartCard& card : start_cards()) {
        for (std::size_t k = 1; k <= card.ways.size(); ++k) {
          const Rect place = d.rect(std::string("start/") + card.word + "/" + std::to_string(k));
          EXPECT_LE(place.max.y, all.max.y);
          EXPECT_LE(place.max.x, all.max.x);
        }
      }
    }
  }
}

}  // namespace
}  // namespace headscope::ui
