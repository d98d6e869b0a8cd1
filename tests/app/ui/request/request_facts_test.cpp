// The line of facts in the place of the folded Request.
#include "app/ui/request/request_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::vector<std::string> words_of(const Request& request, std::size_t changes = 0) {
  std::vector<std::string> words;
  for (const RequestFact& fact : request_facts(*Engine().run(request, {}), changes)) words.push_back(fact.words);
  return words;
}

Request drawn() {
  Request request;
  request.phrase = "one two three";
  request.d_model = 32;
  request.heads = 4;
  return request;
}

using Words = std::vector<std::string>;

TEST(RequestFacts, OfDrawnWeightsSayWhatIsUsual) {
  EXPECT_EQ(words_of(drawn()),
            (Words{"random weights", "4 heads", "8 wide", "no mask", "scale 1/√8", "nothing changed"}));
}

TEST(RequestFacts, SayWhatWasChosen) {
  Request request = drawn();
  request.kv_heads = 2;
  request.scale = 1;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::padding, 1, ""}};
  EXPECT_EQ(words_of(request, 1), (Words{"random weights", "4 heads, 2 of keys", "8 wide", "causal, padding 1 mask",
                                         "no scale", "1 intervention"}));
  request.scale = 0.3;
  EXPECT_EQ(words_of(request, 2)[4], "scale 0.3");
  EXPECT_EQ(words_of(request, 2)[5], "2 interventions");
}

TEST(RequestFacts, OfAModelNameItAndItsLayer) {
  const Document document = open_document("demo:pronouns", Request(), ViewState());
  Request request = document.request;
  request.layer = 0;
  const Words words = words_of(request);
  EXPECT_TRUE(words[0].ends_with(", trained")) << words[0];
  EXPECT_EQ(words[1], "layer 0 of 2");
  request.layer = 1;
  EXPECT_EQ(words_of(request)[1], "layer 1, the last of 2");
}

Document folded() {
  Document document = phrase_document("one two three");
  document.view.request_collapsed = true;
  return document;
}

TEST(RequestFacts, EachOpensItsControlsInARow) {
  for (const RequestFact& fact : request_facts(*Engine().run(drawn(), {}), 0)) {
    SCOPED_TRACE(fact.words);
    Driver d(folded());
    const float below = d.rect("view_head").min.y;
    EXPECT_FALSE(d.has("request/fact_row"));
    d.click(std::string("request/fact/") + fact.option);
    d.step(3);
    ASSERT_TRUE(d.has("request/fact_row"));
    EXPECT_TRUE(d.has("request/facts")) << "the panel stays folded";
    const Rect row = d.rect("request/fact_row");
    EXPECT_EQ(d.rect("view_head").min.y, below + row.height()) << "what lies below goes down";
    EXPECT_TRUE(d.focus().starts_with("request/")) << d.focus();
    for (const std::string& name : d.names("request/")) {
      if (name.starts_with("request/fact/") || name == "request/open" || name == "request/facts") continue;
      EXPECT_TRUE(row.contains(d.rect(name).center())) << name;
    }
    d.key(KeyName::escape);
    d.step(2);
    EXPECT_FALSE(d.has("request/fact_row"));
    EXPECT_EQ(d.rect("view_head").min.y, below);
  }
}

TEST(RequestFacts, ControlsOfTheRowChangeTheRequest) {
  Driver d(folded());
  d.click("request/fact/mask");
  EXPECT_EQ(d.rect("request/fact_row").height(), 44) << "one row";
  d.click("request/mask/causal");
  ASSERT_EQ(d.session.draft.mask.size(), 1u);
  EXPECT_EQ(d.session.draft.mask.front().kind, MaskTerm::Kind::causal);
  d.click("request/fact/heads");
  EXPECT_FALSE(d.has("request/mask/causal")) << "one fact is open";
  EXPECT_TRUE(d.has("request/num_heads"));
  d.click("request/fact_row/close");
  d.step(2);
  EXPECT_FALSE(d.has("request/fact_row"));
}

TEST(RequestFacts, TheWholePanelTakesThePlaceOfTheRow) {
  for (const int width : {1600, 1280}) {
    Driver d(folded(), width, 800);
    d.click("request/fact/mask");
    d.click("request/open");
    d.step(3);
    EXPECT_TRUE(d.has("request/weights"));
    EXPECT_FALSE(d.has("request/fact_row"));
  }
}

TEST(RequestFacts, StayBelowTheRequestThatLiesOverThePanels) {
  Driver d(folded(), 1280, 800);
  const Rect before = d.rect("heads/0");
  d.click("request/open");
  EXPECT_TRUE(d.has("request/weights"));
  EXPECT_TRUE(d.has("request/facts"));
  EXPECT_EQ(d.rect("heads/0").min.x, before.min.x) << "nothing moves";
}

TEST(RequestFacts, LieWithinTheLineAtEveryWidth) {
  for (const int width : {960, 1280, 2560}) {
    Driver d(folded(), width, 800);
    const Rect line = d.rect("request/facts");
    EXPECT_TRUE(d.has("request/fact/model"));
    EXPECT_TRUE(d.has("request/fact/ablate"));
    for (const std::string& name : d.names("request/fact/")) {
      EXPECT_LE(d.rect(name).max.x, line.max.x) << name;
      EXPECT_LE(d.rect(name).max.y, line.max.y) << name;
    }
  }
}

}  // namespace
}  // namespace headscope::ui
