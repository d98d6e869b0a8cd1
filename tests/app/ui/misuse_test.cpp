// Somebody who clicks, types and drags at random: nothing may break, whatever comes in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/utf8.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

const char* const kTexts[] = {"7",
                              "-1e20",
                              "0",
                              "x y",
                              "99999999999999999999",
                              "\xF0\x9F\x98\x80",
                              "[",
                              "]",
                              "/",
                              "nan",
                              "-inf",
                              "\xD7\xA9\xD7\x9C 1",
                              "0.5",
                              " ",
                              "a b",
                              "1e400"};
const std::pair<int, int> kSizes[] = {{1600, 1000}, {1280, 800}, {960, 640}, {700, 500}, {2560, 1440}, {1100, 700}};

// A hand on mouse and keyboard that does one thing after another at random.
class RandomHand {
 public:
  RandomHand(Driver& driver, unsigned seed) : driver_(driver), random_(seed) {}

  // One of 0, 1, ... count - 1.
  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  // Does anything, where it needs a control on `name`; it drags from there to one of `names`.
  void act(const std::string& name, const std::vector<std::string>& names) {
    const auto kind = random_() % 14;
    if (kind <= 7) {
      use_mouse(kind, name, names);
    } else if (kind <= 12) {
      use_keys(kind);
    } else {
      resize_or_wait();
    }
  }

 private:
  void use_mouse(std::uint_fast32_t kind, const std::string& name, const std::vector<std::string>& names) {
    switch (kind) {
      case 4:
        driver_.double_click(name);
        break;
      case 5:
        driver_.right_click(name);
        break;
      case 6:
        driver_.wheel(name, static_cast<float>(random_() % 7) - 3);
        break;
      case 7: {
        const Rect a = driver_.rect(name), b = driver_.rect(names[pick(names.size())]);
        driver_.drag(a.center(), b.center());
        break;
      }
      default:
        driver_.click(name, static_cast<float>(random_() % 100) / 100, static_cast<float>(random_() % 100) / 100);
        break;
    }
  }

  void use_keys(std::uint_fast32_t kind) {
    switch (kind) {
      case 10: {
        const int last = static_cast<int>(KeyName::f12);
        driver_.key(static_cast<KeyName>(1 + static_cast<int>(pick(static_cast<std::size_t>(last)))),
                    random_() % 2 == 0, random_() % 4 == 0, random_() % 5 == 0);
        break;
      }
      case 11:
        driver_.key(KeyName::tab, false, random_() % 3 == 0);
        break;
      case 12:
        driver_.key(KeyName::escape);
        break;
      default:
        driver_.type(kTexts[pick(std::size(kTexts))]);
        break;
    }
  }

  void resize_or_wait() {
    if (random_() % 4 == 0) {
      const auto [w, h] = kSizes[pick(std::size(kSizes))];
      driver_.resize(w, h);
    } else {
      driver_.wait(static_cast<double>(random_() % 30) / 10);
    }
  }

  Driver& driver_;
  std::mt19937 random_;
};

// Something huge would take the test's time, not show a mistake of the window.
void keep_small(Driver& d) {
  Request& draft = d.session.draft;
  if (draft.d_model.value_or(32) > 4096 || draft.d_model.value_or(32) < -1) draft.d_model = 32;
  if (draft.input_dim.value_or(32) > 4096) draft.input_dim.reset();
  if (draft.batch.value_or(1) > 8) draft.batch.reset();
  if (!draft.d_model) draft.d_model = 32;
  if (draft.phrase.size() > 600) draft.phrase.resize(20);
  d.settings.ui_scale = std::min(d.settings.ui_scale, 1.5);
}

void expect_usable(Driver& d) {
  d.resize(1600, 1000);
  for (int i = 0; i < 4; ++i) d.key(KeyName::escape);
  d.ctrl(KeyName::n);
  EXPECT_EQ(d.session.draft.phrase, first_document().request.phrase);
  EXPECT_EQ(d.trace().query_len(), 17);
}

class Misuse : public ::testing::TestWithParam<unsigned> {};

TEST_P(Misuse, BreaksNothing) {
  TemporaryFolder folder;
  const Environment home("HOME", folder.path().c_str()), state("XDG_STATE_HOME", folder.path().c_str());
  Document document = demo_document();
  document.request.d_model = 32;
  document.request.heads = 4;
  Driver d(document);
  d.settings.export_folder = d.settings.open_folder = folder.path();
  RandomHand hand(d, GetParam());
  for (int i = 0; i < 250 && !::testing::Test::HasFailure(); ++i) {
    const std::vector<std::string> names = d.names("");
    ASSERT_FALSE(names.empty());
    const std::string name = names[hand.pick(names.size())];
    SCOPED_TRACE("action " + std::to_string(i) + " on " + name);
    hand.act(name, names);
    keep_small(d);
  }
  expect_usable(d);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Misuse, ::testing::Range(1u, 7u));

// Every view over texts that are hard to draw: right to left, of characters that no font has, of one token, of one word
// without end, of more words than any view can show at once.
class HardTexts : public ::testing::TestWithParam<std::pair<const char*, std::string>> {};

TEST_P(HardTexts, AreShownByEveryView) {
  const std::string& text = GetParam().second;
  Document document = phrase_document(text, 2, 16);
  document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  for (const auto& [width, height] : {std::pair{1600, 1000}, {960, 640}}) {
    Driver d(document, width, height);
    d.session.pin();
    d.session.draft.seed = 3;
    d.session.draft.phrase += "!";
    d.step(3);
    for (const MainView view : {MainView::follow, MainView::script, MainView::bug_lab, MainView::mask,
                                MainView::compare, MainView::sensitivity, MainView::layer}) {
      for (const StageId stage : {StageId::input, StageId::query, StageId::weights, StageId::concat}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(view)) + " at " + std::string(stage_name(stage)));
        d.session.view.main_view = view;
        d.session.view.stage = stage;
        d.session.view.cell = Cell{0, 0};
        d.step(4);
        d.move({static_cast<float>(width) * 0.55f, static_cast<float>(height) * 0.4f});
        d.step(2);
        for (const DrawnText& drawn : d.texts) {
          ASSERT_LT(drawn.words.size(), 4000U) << "a text is drawn whole that nobody can see";
          ASSERT_TRUE(is_valid_utf8(drawn.words)) << drawn.words;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, HardTexts,
    ::testing::Values(std::pair<const char*, std::string>("OneToken", "a"),
                      std::pair<const char*, std::string>("RightToLeft", "שלום עולם مرحبا بالعالم abc 123 שלום"),
                      std::pair<const char*, std::string>(
                          "Emoji",
                          "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301 \U0001F600 👍🏽 \u200D \U000E0001"),
                      std::pair<const char*, std::string>("OneLongWord", std::string(3000, 'w')),
                      std::pair<const char*, std::string>("FourHundred", words(400))),
    [](const auto& each) { return std::string(each.param.first); });

}  // namespace
}  // namespace headscope::ui
