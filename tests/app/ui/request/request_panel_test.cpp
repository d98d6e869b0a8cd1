// Every control of the Request changes the draft as its option on the command line would.
#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>
#include <limits>

#include "app/ui/unfolded_rows.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string option(const Driver& d, const char* name) {
  return find_request_option(name)->get(d.session.draft);
}

TEST(RequestPanel, StepsThroughTheDivisorsOfTheModelWidth) {
  Driver d;
  d.click("request/num_heads/+");
  EXPECT_EQ(option(d, "heads"), "16");
  EXPECT_EQ(d.trace().num_heads(), 16);
  d.click("request/num_heads/-");
  d.click("request/num_heads/-");
  EXPECT_EQ(d.trace().num_heads(), 4);
}

TEST(RequestPanel, SaysWhySevenHeadsCannotRunAndASuggestionRepairsIt) {
  Driver d;
  d.click("request/num_heads");
  d.ctrl(KeyName::a);
  d.type("7");
  EXPECT_EQ(option(d, "heads"), "7");
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->option, "heads");
  ASSERT_TRUE(d.has("request/problem"));
  EXPECT_TRUE(d.has("notice/problem")) << "the bar that names the last good result";
  EXPECT_EQ(d.trace().num_heads(), 8) << "the last good picture stays";
  // The box lies directly below its control.
  const Rect control = d.rect("request/num_heads"), box = d.rect("request/problem");
  EXPECT_GE(box.min.y, control.max.y);
  EXPECT_LE(box.min.y, control.max.y + 8);
  d.click("request/problem/16");
  EXPECT_FALSE(d.session.problem());
  EXPECT_EQ(d.trace().num_heads(), 16);
  EXPECT_FALSE(d.has("request/problem"));
}

TEST(RequestPanel, GoesBackToTheLastGoodResultButKeepsWhatWasTypedSince) {
  Driver d;
  d.click("request/num_heads");
  d.ctrl(KeyName::a);
  d.type("7");
  d.click("phrase", 0.9f);
  d.key(KeyName::end);
  d.type(" y");
  ASSERT_TRUE(d.session.problem());
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(),
                          [](const DrawnText& text) { return text.words == "Back to 8 heads"; }));
  d.click("notice/problem/button");
  EXPECT_FALSE(d.session.problem());
  EXPECT_EQ(d.trace().num_heads(), 8);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex y");
}

TEST(RequestPanel, IgnoresTextThatIsNoNumberAndLeavesTheValue) {
  Driver d;
  d.click("request/num_heads");
  d.ctrl(KeyName::a);
  d.type("8x");
  EXPECT_EQ(d.trace().num_heads(), 8);
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.edits["request/num_heads"].buffer, "8");
}

TEST(RequestPanel, TakesAnySeedOf64Bits) {
  Driver d;
  d.click("request/seed");
  d.ctrl(KeyName::a);
  d.type("18446744073709551615");
  EXPECT_EQ(d.session.draft.seed, std::numeric_limits<std::uint64_t>::max());
  d.type("0");
  EXPECT_EQ(d.session.draft.seed, std::numeric_limits<std::uint64_t>::max()) << "2^64 and more is not taken";
}

TEST(RequestPanel, SwitchesEveryMaskOnAndOffAndComposesThem) {
  Driver d;
  d.click("request/mask/causal");
  EXPECT_EQ(mask_text(d.session.draft.mask), "none");
  d.click("request/mask/window");
  EXPECT_EQ(mask_text(d.session.draft.mask), "window:2");
  d.click("request/mask/window/size/+");
  EXPECT_EQ(mask_text(d.session.draft.mask), "window:3");
  d.click("request/mask/padding");
  EXPECT_EQ(mask_text(d.session.draft.mask), "window:3,padding:1");
  d.click("request/mask/window");
  d.click("request/mask/prefix");
  EXPECT_EQ(mask_text(d.session.draft.mask), "padding:1,prefix:2");
  d.click("request/mask/alibi");
  EXPECT_EQ(mask_text(d.session.draft.mask), "padding:1,prefix:2,alibi");
  EXPECT_EQ(d.trace().mask->added.dim(1), d.trace().num_heads());
  EXPECT_FALSE(d.session.problem());
}

TEST(RequestPanel, OffersTheTutorialsConventionsByName) {
  Driver d;
  d.choose("request/mask_order",
           "before scale, fill \xE2\x88\x92"
           "1e20");
  EXPECT_EQ(option(d, "mask-order"), "before-scale");
  EXPECT_EQ(d.session.draft.mask_fill, -1e20);
  d.choose("request/mask_order", "before scale, fill \xE2\x88\x92inf");
  EXPECT_EQ(d.session.draft.mask_fill, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.session.draft.mask_order, MaskOrder::before_scale);
  d.choose("request/mask_order", "after scale, fill \xE2\x88\x92inf");
  EXPECT_EQ(d.session.draft.mask_order, MaskOrder::after_scale);
}

TEST(RequestPanel, FillsHiddenCellsWithAnyNumber) {
  Driver d;
  d.choose("request/mask_fill", "number...");
  EXPECT_EQ(d.session.draft.mask_fill, -10000);
  d.click("request/mask_fill/number");
  d.ctrl(KeyName::a);
  d.type("-12.5");
  EXPECT_EQ(d.session.draft.mask_fill, -12.5);
  d.choose("request/fully_masked", "uniform");
  EXPECT_EQ(option(d, "fully-masked"), "uniform");
}

TEST(RequestPanel, SetsScaleSoftcapAndDropout) {
  Driver d;
  d.choose("request/scale", "1: not scaled");
  EXPECT_EQ(option(d, "scale"), "1");
  d.choose("request/scale", "number...");
  d.click("request/scale/number");
  d.ctrl(KeyName::a);
  d.type("0.25");
  EXPECT_EQ(d.session.draft.scale, 0.25);
  d.choose("request/softcap", "30");
  EXPECT_EQ(d.session.draft.softcap, 30.0);
  EXPECT_NE(d.trace().find(StageId::capped_scores), nullptr);
  d.choose("request/softcap_order", "after the mask");
  EXPECT_EQ(option(d, "softcap-order"), "after-mask");
  d.choose("request/softcap_order", "before the mask");
  d.choose("request/softcap", "off");
  EXPECT_FALSE(d.session.draft.softcap);
  EXPECT_FALSE(d.has("request/softcap_order"));
  d.click("request/dropout", 0.5f);
  EXPECT_NEAR(d.session.draft.dropout, 0.5, 0.011);
  EXPECT_NE(d.trace().find(StageId::dropped_weights), nullptr);
  d.click("request/dropout_seed/+");
  EXPECT_EQ(d.session.draft.dropout_seed, 1u);
}

TEST(RequestPanel, StepsTheDropoutByKeysInHundredths) {
  Driver d;
  d.tab_to("request/dropout");
  for (int i = 0; i < 7; ++i) d.key(KeyName::right);
  EXPECT_EQ(d.session.draft.dropout, 0.07);
  d.type("3");
  EXPECT_EQ(d.session.draft.dropout, 0.3);
  d.key(KeyName::home);
  EXPECT_EQ(d.session.draft.dropout, 0);
}

TEST(RequestPanel, MergesHeadsTheWrongWayOnDemand) {
  Driver d;
  d.click("request/merge/direct reshape");
  EXPECT_EQ(d.session.draft.merge, Merge::direct);
  d.tab_to("request/merge");
  d.key(KeyName::left);
  EXPECT_EQ(d.session.draft.merge, Merge::transpose);
}

TEST(RequestPanel, OpensTheRowsThatOneChangesSeldom) {
  Driver d;
  EXPECT_FALSE(d.has("request/batch"));
  d.click("request/more");
  ASSERT_TRUE(d.has("request/batch"));
  d.click("request/batch/+");
  EXPECT_EQ(option(d, "batch"), "2");
  EXPECT_EQ(d.trace().tensor(StageId::weights).dim(0), 2);
  d.click("request/kv_heads/-");
  EXPECT_EQ(option(d, "kv-heads"), "4");
  d.choose("request/embedding", "sequence");
  EXPECT_EQ(option(d, "embedding"), "sequence");
  d.choose("request/position", "sinusoidal");
  EXPECT_EQ(option(d, "position"), "sinusoidal");
  d.choose("request/qkv_layout", "blocked");
  EXPECT_EQ(option(d, "qkv-layout"), "blocked");
  d.click("request/init_gain");
  d.ctrl(KeyName::a);
  d.type("2.5");
  EXPECT_EQ(option(d, "init-gain"), "2.5");
  d.click("request/input_dim");
  d.ctrl(KeyName::a);
  d.type("1024");
  EXPECT_EQ(option(d, "input-dim"), "1024");
  EXPECT_FALSE(d.session.problem());
  // They stay open while one of them is not at its default, whatever the triangle says.
  d.state.panels.get<UnfoldedRows>().open["request/more"] = false;
  d.step();
  EXPECT_TRUE(d.has("request/batch"));
}

TEST(RequestPanel, ChoosesWhoComputes) {
  Driver d;
  d.click("request/compute");
  d.choose("request/backend", "reference");
  EXPECT_EQ(option(d, "backend"), "reference");
  EXPECT_EQ(d.trace().backend, "reference");
  d.click("request/threads/+");
  EXPECT_EQ(d.session.draft.threads, 1);
}

TEST(RequestPanel, ChoosesHowMuchIsKept) {
  Driver d;
  d.click("request/compute");
  d.wheel("request", -20);
  const auto before = d.session.trace();
  d.choose("request/stage-memory", "256 MiB");
  EXPECT_EQ(d.settings.stage_memory_mib, 256);
  EXPECT_NE(d.session.trace(), before) << "computed again under the new limit";
  EXPECT_FALSE(d.session.can_undo()) << "a setting is no step of the request";
}

TEST(RequestPanel, CopiesTheRequestAsACommand) {
  Driver d;
  d.click("request/copy_command");
  EXPECT_EQ(d.clipboard, shell_command_of(d.session.draft, "headscope-cli run"));
  d.clipboard.clear();
  d.key(KeyName::c, true, true);
  EXPECT_EQ(d.clipboard, shell_command_of(d.session.draft, "headscope-cli run"));
}

TEST(RequestPanel, ShowsHeadsThatAreSwitchedOffAndSwitchesThemOn) {
  Document document = demo_document();
  document.request.ablate = {{0, 2}};
  Driver d(document);
  ASSERT_TRUE(d.has("request/interventions/0"));
  d.click("request/interventions/0");
  EXPECT_EQ(d.session.draft.ablate, (std::vector<AblatedHead>{{{0, 2}, false}})) << "still listed";
  d.click("request/interventions/0/remove");
  EXPECT_FALSE(d.has("request/interventions/0"));
}

TEST(RequestPanel, OpensASecondPhraseForKeysAndValues) {
  Driver d;
  d.click("request/keys/second phrase");
  ASSERT_TRUE(d.session.draft.key_phrase);
  EXPECT_EQ(d.focus(), "key_phrase");
  d.ctrl(KeyName::a);
  d.type("one two");
  EXPECT_EQ(*d.session.draft.key_phrase, "one two");
  EXPECT_EQ(d.trace().tensor(StageId::weights).dim(2), 5);
  EXPECT_EQ(d.trace().tensor(StageId::weights).dim(3), 2);
  d.click("request/past/+");
  EXPECT_EQ(option(d, "past"), "1");
  d.click("request/past/-");
  EXPECT_EQ(d.session.draft.past, 0);
  d.choose("request/causal_align", "bottom right");
  EXPECT_EQ(option(d, "causal-align"), "bottom-right");
  d.click("request/keys/same phrase");
  EXPECT_FALSE(d.session.draft.key_phrase);
}

TEST(RequestPanel, ScrollsWhenItIsTooTallAndTabShowsWhatItReaches) {
  Driver d(1600, 700);
  d.click("request/more");
  d.tab_to("request/copy_command");
  const Rect copy = d.rect("request/copy_command"), status = d.rect("status");
  EXPECT_LE(copy.max.y, status.min.y);
  d.tab_to("request/num_heads");
  EXPECT_GE(d.rect("request/num_heads").min.y, d.rect("request/undo").max.y);
}

TEST(RequestPanel, SaysThatAHiddenRowIsNaN) {
  Driver d;
  d.click("request/mask/padding");
  d.click("request/mask/padding/size");
  d.ctrl(KeyName::a);
  d.type("5");
  ASSERT_GT(d.trace().fully_masked_rows, 0);
  EXPECT_TRUE(d.has("notice/rows"));
  d.key(KeyName::escape);
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/rows")) << "it leaves on Esc";
}

}  // namespace
}  // namespace headscope::ui
