// Numbers edited in place, and the list of all that is changed by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/session/documents.h"
#include "app/ui/request/number_edit.h"
#include "core/attention/edited_row.h"
#include "core/request/intervention_list.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// A click at the middle of cell (row, column) of the inspector's 5 x 5 picture.
void double_click_cell(Driver& d, int row, int column) {
  const Rect picture = d.rect("inspector/picture");
  d.click_at({picture.min.x + picture.width() * (static_cast<float>(column) + 0.5f) / 5,
              picture.min.y + picture.height() * (static_cast<float>(row) + 0.5f) / 5},
             2);
  d.step(2);
}

void replace_number(Driver& d, const std::string& number) {
  d.key(KeyName::a, true);
  d.type(number);
  d.key(KeyName::enter);
  d.step(3);
}

std::string option(const Driver& d, const char* name) {
  return find_request_option(name)->get(d.session.draft);
}

TEST(NumberEdit, ADoubleClickOpensAFieldAndEnterPutsTheNumberIn) {
  Driver d;
  const float before = d.trace().tensor(StageId::weights).at({0, 0, 3, 1});
  double_click_cell(d, 3, 1);
  ASSERT_TRUE(d.has("number_edit"));
  EXPECT_EQ(d.state.panels.get<NumberEditState>().value, fmt::format("{}", before)) << "the number that is there";
  replace_number(d, "0.25");
  EXPECT_FALSE(d.has("number_edit"));
  EXPECT_EQ(option(d, "edit"), "weights:0,0,3,1=0.25");
  EXPECT_EQ(d.trace().tensor(StageId::weights).at({0, 0, 3, 1}), 0.25F);
  EXPECT_TRUE(d.session.view.viewport.fitted());
  d.key(KeyName::z, true);
  d.step(3);
  EXPECT_TRUE(d.session.draft.edits.empty()) << "one step back is all of it";
  EXPECT_EQ(d.trace().tensor(StageId::weights).at({0, 0, 3, 1}), before);
}

TEST(NumberEdit, EveryEditIsAStepOfUndoAndTheSameCellKeepsOne) {
  Driver d;
  for (const char* number : {"0.1", "0.2"}) {
    double_click_cell(d, 2, 0);
    replace_number(d, number);
  }
  double_click_cell(d, 4, 4);
  replace_number(d, "\u22121.5");
  EXPECT_EQ(option(d, "edit"), "weights:0,0,2,0=0.2;weights:0,0,4,4=-1.5");
  d.key(KeyName::z, true);
  EXPECT_EQ(option(d, "edit"), "weights:0,0,2,0=0.2");
  d.key(KeyName::z, true);
  EXPECT_EQ(option(d, "edit"), "weights:0,0,2,0=0.1");
}

TEST(NumberEdit, EscAndAClickElsewhereLeaveAndWhatIsNoNumberStays) {
  Driver d;
  double_click_cell(d, 3, 1);
  d.key(KeyName::a, true);
  d.type("1e60");
  d.key(KeyName::enter);
  EXPECT_TRUE(d.has("number_edit")) << "no float32 holds it";
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("number_edit"));
  EXPECT_EQ(d.focus(), "inspector/picture");
  double_click_cell(d, 3, 1);
  d.type("7");
  d.click_at({800, 990});
  EXPECT_FALSE(d.has("number_edit"));
  EXPECT_TRUE(d.session.draft.edits.empty());
}

TEST(NumberEdit, HeadsAndOtherStagesAreEditedWhereTheyAreShown) {
  Driver d;
  const Rect head = d.rect("heads/2");
  d.click_at({head.min.x + head.width() * 0.3f, head.min.y + head.height() * 0.9f}, 2);
  ASSERT_TRUE(d.has("number_edit"));
  replace_number(d, "0.5");
  EXPECT_EQ(option(d, "edit"), "weights:0,2,4,1=0.5");
  d.session.view.stage = StageId::input;
  d.step(3);
  d.double_click("inspector/picture", 0.001f);
  ASSERT_TRUE(d.has("number_edit"));
  replace_number(d, "3");
  EXPECT_EQ(option(d, "edit"), "weights:0,2,4,1=0.5;input:0,2,0=3");
  EXPECT_EQ(d.trace().tensor(StageId::input).at({0, 2, 0}), 3.0F);
}

TEST(InterventionsSection, ListsAllOfThemWithASwitchAndACross) {
  Document document = demo_document();
  find_request_option("ablate")->set(document.request, "0.2");
  find_request_option("freeze")->set(document.request, "0.1=uniform");
  find_request_option("edit")->set(document.request, "scores:0,0,2,1=0.5");
  find_request_option("paint")->set(document.request, "hide@:,1");
  Driver d(document);
  d.key(KeyName::i, true);
  d.step(3);
  EXPECT_EQ(d.focus(), "request/interventions/0");
  d.click("request/interventions/1");
  EXPECT_EQ(option(d, "freeze"), "off:0.1=uniform");
  EXPECT_EQ(d.trace().request.freeze[0].on, false);
  d.click("request/interventions/1");
  EXPECT_EQ(option(d, "freeze"), "0.1=uniform");
  d.click("request/interventions/0");
  EXPECT_EQ(option(d, "ablate"), "off:0.2");
  d.click("request/interventions/2/remove");
  EXPECT_EQ(option(d, "edit"), "");
  d.click("request/interventions/switch");
  EXPECT_EQ(option(d, "paint"), "off:hide@:,1:2");
  EXPECT_EQ(option(d, "freeze"), "off:0.1=uniform");
  d.click("request/interventions/switch");
  EXPECT_EQ(option(d, "ablate"), "0.2");
  EXPECT_EQ(option(d, "paint"), "hide@:,1:2");
  d.click("request/interventions/clear");
  EXPECT_FALSE(d.has("request/interventions/0"));
  d.key(KeyName::z, true);
  EXPECT_EQ(option(d, "paint"), "hide@:,1:2");
}

TEST(InterventionsSection, ALongListIsFoldedWithItsCount) {
  Document document = demo_document();
  find_request_option("ablate")->set(document.request, "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7");
  Driver d(document, 1600, 1060);
  EXPECT_TRUE(d.has("request/interventions/5"));
  EXPECT_FALSE(d.has("request/interventions/6"));
  d.click("request/interventions/all");
  EXPECT_TRUE(d.has("request/interventions/7"));
}

TEST(InterventionsSection, TheSelectedHeadIsHeldAndMultiplied) {
  Driver d;
  d.click("heads/3");
  EXPECT_FALSE(d.has("request/interventions/head")) << "folded until somebody wants it";
  d.click("request/interventions/controls");
  d.choose("request/interventions/head", "weights identity");
  EXPECT_EQ(option(d, "freeze"), "0.3=identity");
  EXPECT_EQ(d.trace().tensor(StageId::weights).at({0, 3, 2, 2}), 1.0F);
  d.choose("request/interventions/head", "context = 0");
  EXPECT_EQ(option(d, "freeze"), "");
  EXPECT_EQ(option(d, "ablate"), "0.3");
  d.choose("request/interventions/head", "as computed");
  EXPECT_EQ(option(d, "ablate"), "");
  const float before = d.trace().tensor(StageId::query).at({0, 3, 1, 1});
  d.click("request/interventions/scale_query");
  d.key(KeyName::a, true);
  d.type("2");
  d.key(KeyName::enter);
  d.step(3);
  EXPECT_EQ(option(d, "scale-query"), "0.3=2");
  EXPECT_EQ(d.trace().tensor(StageId::query).at({0, 3, 1, 1}), 2 * before);
}

TEST(HeadMenu, ARightClickOffersWhatCanBeDoneToTheHead) {
  Driver d;
  d.right_click("heads/3");
  EXPECT_EQ(option(d, "ablate"), "") << "nothing is done before something is picked";
  d.click("head_menu/Hold weights uniform");
  EXPECT_EQ(option(d, "freeze"), "0.3=uniform");
  EXPECT_FALSE(d.has("head_menu/Switch off")) << "a pick closes it";
  d.right_click("heads/3/label");
  d.click("head_menu/Hold weights identity");
  EXPECT_EQ(option(d, "freeze"), "0.3=identity");
  EXPECT_EQ(d.trace().tensor(StageId::weights).at({0, 3, 2, 2}), 1.0F);
  d.right_click("heads/3");
  d.click("head_menu/Hold weights identity");
  EXPECT_EQ(option(d, "freeze"), "") << "once more lets it go";
  d.right_click("heads/5");
  d.click("head_menu/Switch off");
  EXPECT_EQ(option(d, "ablate"), "0.5");
  d.right_click("heads/5");
  d.click("head_menu/Hold weights uniform");
  EXPECT_EQ(option(d, "ablate"), "") << "a head that is held is on";
  EXPECT_EQ(option(d, "freeze"), "0.5=uniform");
  d.key(KeyName::z, true);
  EXPECT_EQ(option(d, "ablate"), "0.5") << "one step of undo";
}

TEST(HeadMenu, AFactorIsTypedIntoAField) {
  Driver d;
  const float before = d.trace().tensor(StageId::key).at({0, 2, 1, 1});
  d.right_click("heads/2");
  d.click("head_menu/Multiply key...");
  ASSERT_TRUE(d.has("number_edit"));
  EXPECT_EQ(d.state.panels.get<NumberEditState>().value, "1");
  d.key(KeyName::a, true);
  d.type("inf");
  d.key(KeyName::enter);
  EXPECT_TRUE(d.has("number_edit")) << "no factor";
  replace_number(d, "\u22121.5");
  EXPECT_EQ(option(d, "scale-key"), "0.2=-1.5");
  EXPECT_EQ(d.trace().tensor(StageId::key).at({0, 2, 1, 1}), -1.5F * before);
  d.right_click("heads/2");
  d.click("head_menu/Multiply query...");
  d.type("7");
  d.key(KeyName::escape);
  EXPECT_EQ(option(d, "scale-query"), "");
  d.right_click("heads/2");
  d.click("head_menu/As computed");
  EXPECT_EQ(option(d, "scale-key"), "");
}

TEST(HeadMenu, OpensAndWorksByKeys) {
  Driver d;
  d.click("heads/4");
  d.ctrl(KeyName::h);
  d.step(2);
  ASSERT_TRUE(d.has("head_menu/Switch off"));
  EXPECT_NEAR(d.rect("head_menu/Switch off").min.x, d.rect("heads/4").min.x, 30) << "beside its head";
  d.key(KeyName::down);
  d.key(KeyName::down);
  d.key(KeyName::enter);
  d.step(2);
  EXPECT_EQ(option(d, "freeze"), "0.4=uniform");
  EXPECT_EQ(d.focus(), "heads/4");
  d.ctrl(KeyName::h);
  d.step(2);
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("head_menu/Switch off"));
}

TEST(HeadMenu, IsOfTheHeadThatTheViewOverAllLayersShows) {
  Driver d(open_document("demo:pronouns", Request(), ViewState()));
  d.key(KeyName::f3);
  d.right_click("layers/0.5");
  d.click("head_menu/Hold weights identity");
  EXPECT_EQ(option(d, "freeze"), "0.5=identity");
  d.click("layers/more");
  d.click("head_menu/Switch off");
  EXPECT_EQ(option(d, "ablate"), "0.5");
  d.click("layers/aggregate/mean");
  d.ctrl(KeyName::h);
  d.step(2);
  d.click("head_menu/As computed");
  EXPECT_EQ(option(d, "ablate"), "");
  EXPECT_EQ(option(d, "freeze"), "");
}

TEST(InterventionsSection, AnEditOfAWeightIsTypedAsTheCommandLineSpellsIt) {
  Driver d;
  d.ctrl(KeyName::i);
  EXPECT_EQ(d.focus(), "request/interventions/add");
  d.click("request/interventions/add");
  d.type("qkv_layer.weight:3,7=0.5");
  d.key(KeyName::enter);
  d.step(3);
  EXPECT_EQ(option(d, "edit"), "qkv_layer.weight:3,7=0.5");
  EXPECT_FALSE(d.session.problem());
  d.type("nonsense");
  d.key(KeyName::enter);
  d.step(2);
  EXPECT_EQ(option(d, "edit"), "qkv_layer.weight:3,7=0.5");
  ASSERT_FALSE(d.state.notices.empty());
  EXPECT_EQ(d.state.notices.back().fact, "The edit was not taken.");
}

TEST(EditedWeights, SayWhatTheirRowSumsTo) {
  Driver d(open_document("demo:pronouns", Request(), ViewState()));
  const NumberEdit edit{"weights", {0, 0, 8, 7}, 0.5F, 1, true};
  const Tensor before = d.trace().tensor(StageId::weights);
  const double sum = 1 - static_cast<double>(before.at({0, 0, 8, 7})) + 0.5;
  EXPECT_EQ(edited_row_text(d.trace(), edit), "") << "it was not computed with this edit";
  d.session.draft.edits = {edit};
  d.step();
  ASSERT_EQ(d.trace().request.edits.size(), 1u);
  const std::string row = fmt::format("its row now sums to {:.4g}", sum);
  EXPECT_EQ(edited_row_text(d.trace(), edit), row);
  EXPECT_EQ(interventions_of(d.session.draft, true).at(0).label, "layer 1, weights[0,0,8,7] = 0.5");
  d.session.draft.edits[0].on = false;
  d.step();
  EXPECT_EQ(edited_row_text(d.trace(), d.session.draft.edits[0]), "") << "it is switched off";
}

}  // namespace
}  // namespace headscope::ui
