// The view 'generate': the tokens of headscope-cli generate, one after the other, forward and back.
#include "app/ui/generate/generate_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "core/attention/engine.h"
#include "core/generate/generation.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr const char* kPrompt = "cat box ink fox jam cat box";

class GeneratePanel : public testing::Test {
 protected:
  GeneratePanel() : d(open_document("demo:induction", Request(), ViewState())) {
    d.session.draft.phrase = kPrompt;
    d.step(4);
    d.key(KeyName::e, true, true);
    d.step(4);
  }
  Generation generated(std::int64_t tokens, const Sampling& sampling = {}) {
    Request request = d.session.draft;
    request.phrase = kPrompt;
    EngineOptions options;
    options.whole_model = true;
    Engine engine(options);
    return generate(engine, request, {tokens, sampling, 5}, CancelToken{});
  }
  std::vector<std::int64_t> ids_after(const Generation& of) {
    std::vector<std::int64_t> ids = of.prompt_ids;
    for (const GeneratedToken& token : of.tokens) ids.push_back(token.sampled.token.id);
    return ids;
  }
  void press_next() {
    d.click(kNextToken);
    d.step(4);
  }
  Driver d;
};

TEST_F(GeneratePanel, GreedyTokensAreThoseOfTheCommandLine) {
  EXPECT_EQ(d.session.view.main_view, MainView::generate);
  EXPECT_EQ(d.focus(), kNextToken);
  for (int k = 0; k < 3; ++k) press_next();
  const Generation known = generated(3);
  EXPECT_EQ(d.trace().inputs->token_ids, ids_after(known));
  EXPECT_EQ(d.session.draft.phrase, std::string(kPrompt) + " ink fox jam") << "they are words of the phrase";
  EXPECT_EQ(d.names("generate/appended/").size(), 3U);
}

TEST_F(GeneratePanel, AtLeastOneTokenMayBeDrawn) {
  d.click("generate/sample", 0.5f);
  ASSERT_TRUE(d.has("generate/k"));
  d.click("generate/k");
  d.ctrl(KeyName::a);
  d.type("-4");
  EXPECT_EQ(d.session.view.sampling.k, 1);
}

TEST_F(GeneratePanel, TheSameSeedDrawsTheSameText) {
  d.session.view.sampling = {Sampling::Kind::top_p, 1, 0.9, 2, 7};
  d.click("generate/more");
  d.step(60);
  EXPECT_EQ(d.trace().inputs->token_ids, ids_after(generated(10, d.session.view.sampling)));
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).sampling, d.session.view.sampling);
}

TEST_F(GeneratePanel, StepsGoBackAndForward) {
  press_next();
  press_next();
  const std::string two = d.session.draft.phrase;
  d.click("generate/back");
  d.step(4);
  EXPECT_EQ(d.session.draft.phrase, std::string(kPrompt) + " ink");
  EXPECT_EQ(d.names("generate/appended/").size(), 2U) << "one of them is ahead";
  d.click("generate/forward");
  d.step(4);
  EXPECT_EQ(d.session.draft.phrase, two);
  d.ctrl(KeyName::z);
  d.step(4);
  d.ctrl(KeyName::z);
  d.step(4);
  d.ctrl(KeyName::z);
  d.step(4);
  EXPECT_EQ(d.session.draft.phrase, std::string(kPrompt) + " ink") << "every step is one of undo";
}

TEST_F(GeneratePanel, AnotherTokenIsPickedByHand) {
  press_next();
  d.click("generate/candidate/1");
  d.step(4);
  const auto& state = d.state.panels.get<GeneratePanelState>();
  ASSERT_EQ(state.behind, 2U);
  EXPECT_TRUE(state.appended[1].by_hand);
  EXPECT_EQ(d.trace().inputs->token_ids.back(), state.appended[1].id);
  EXPECT_FALSE(state.appended[0].by_hand);
}

TEST_F(GeneratePanel, ATypedTextIsAnotherPrompt) {
  press_next();
  d.session.draft.phrase = "zoo jar";
  d.step(4);
  EXPECT_TRUE(d.names("generate/appended/").empty());
  EXPECT_EQ(d.state.panels.get<GeneratePanelState>().prompt, d.trace().inputs->token_ids);
}

TEST_F(GeneratePanel, WhereEveryPositionIsTakenNoTokenIsAwaitedAnyMore) {
  std::string full = "cat";
  for (int k = 1; k < 126; ++k) full += k % 2 == 0 ? " cat" : " box";  // two below the model's 128 positions
  d.session.draft.phrase = full;
  d.step(4);
  d.click("generate/more");
  d.step(20);
  EXPECT_EQ(d.trace().inputs->token_ids.size(), 128U);
  EXPECT_EQ(d.state.panels.get<GeneratePanelState>().waiting, 0);
  d.ctrl(KeyName::z);
  d.step(20);
  EXPECT_EQ(d.trace().inputs->token_ids.size(), 127U) << "one step back, and no token comes by itself";
}

TEST_F(GeneratePanel, WhatCannotGoOnIsSaid) {
  d.session.draft.model = "demo:pronouns";
  d.step(6);
  const std::vector<std::string> said = d.names("generate/sentence: ");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said.front().find("predicts masked tokens"), std::string::npos) << said.front();
}

TEST(FollowText, ALongerTextOfTheSameTokensIsAStepForward) {
  GeneratePanelState state;
  follow_text(state, {1, 2});
  EXPECT_EQ(state.prompt, (std::vector<std::int64_t>{1, 2}));
  state.appended.resize(2);
  state.appended[0].id = 3;
  state.appended[1].id = 4;
  follow_text(state, {1, 2, 3});
  EXPECT_EQ(state.behind, 1U);
  follow_text(state, {1, 2, 3, 4});
  EXPECT_EQ(state.behind, 2U);
  follow_text(state, {1, 2});
  EXPECT_EQ(state.behind, 0U);
  follow_text(state, {1, 2, 5});
  EXPECT_TRUE(state.appended.empty());
  EXPECT_EQ(state.prompt, (std::vector<std::int64_t>{1, 2, 5}));
}

}  // namespace
}  // namespace headscope::ui
