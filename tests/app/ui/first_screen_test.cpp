// How much there is to press on the first screen, by the mockups' way of counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "tests/app/ui/driver.h"
#include "tests/app/ui/first_start.h"

namespace headscope::ui {
namespace {

// A row of equal items is one control: words, heads, stages, cells, weights in words, numbers of the headline, operands
// and steps of the explained number.
constexpr std::string_view kRows[] = {"tokens/",
                                      "pipeline/",
                                      "heads/looks/",
                                      "view_head/",
                                      "inspector/where/step/",
                                      "inspector/where/feature/",
                                      "inspector/where/term/"};

// Facts that say a sentence where the mouse rests; a press does nothing.
constexpr std::string_view kFacts[] = {"status/backend",    "status/blank",   "status/state",
                                       "status/time",       "status/tokens",  "tokens_fact",
                                       "inspector/entropy", "inspector/keys", "inspector/queries"};

std::string row_of(const std::string& name) {
  for (const std::string_view row : kRows) {
    if (name.starts_with(row) && name != "view_head/more") return std::string(row);
  }
  const bool head = name.starts_with("heads/") && name.size() > 6 && std::isdigit(static_cast<unsigned char>(name[6]));
  return head ? "heads/N" : name;
}

// What answers to the mouse at the places that the probe has.
std::set<std::string> controls_of(Driver& d) {
  std::set<std::string> controls;
  const auto rects = d.probe.rects;
  for (const auto& [name, rect] : rects) {
    d.move(rect.center());
    d.step(2);
    const std::string& hovered = d.state.hovered;
    const bool fact = std::find(std::begin(kFacts), std::end(kFacts), hovered) != std::end(kFacts);
    if (!hovered.empty() && !fact) controls.insert(row_of(hovered));
  }
  return controls;
}

std::string listed(const std::set<std::string>& controls) {
  std::string words;
  for (const std::string& name : controls) words += name + "\n";
  return words;
}

TEST(FirstScreen, HasAtMost45ThingsToPress) {
  Driver d(at_first_start());
  d.step(3);
  d.wait(0.5);
  d.step(3);
  const std::set<std::string> controls = controls_of(d);
  EXPECT_LE(controls.size(), 45u) << listed(controls);
  EXPECT_GE(controls.size(), 30u) << "the mouse finds what the probe names:\n" << listed(controls);
  for (const char* there : {"phrase", "heads/N", "inspector/picture", "phrase/tokens", "view_head/", "request/open"}) {
    EXPECT_EQ(controls.count(there), 1u) << there << " is not found:\n" << listed(controls);
  }
}

// What the count is a bound for: unfolded there is much more.
TEST(FirstScreen, UnfoldedHasMore) {
  const auto count = [](bool unfolded) {
    Driver d(at_first_start());
    if (unfolded) d.push(CommandId::unfold_all);
    d.step(3);
    return controls_of(d).size();
  };
  EXPECT_GT(count(true), count(false) + 15);
}

}  // namespace
}  // namespace headscope::ui
