// The palette: every kind of entry is found by its name, by a synonym or with a typo, and does what it says.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/ui/dialogs/palette_match.h"
#include "app/ui/dialogs/palette_search.h"
#include "core/attention/model_trace.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class Palette : public testing::Test {
 protected:
  void SetUp() override { d.step(3); }

  const std::vector<PaletteHit>& hits(const std::string& query) {
    if (d.state.dialog != DialogKind::palette) d.ctrl(KeyName::p);
    d.ctrl(KeyName::a);
    d.clipboard = query;
    d.ctrl(KeyName::v);
    return d.state.panels.get<PaletteSearch>().hits;
  }
  std::string first(const std::string& query) {
    const auto found = hits(query);
    return found.empty() ? "" : std::string(found.front().kind->name) + ": " + found.front().entry.label;
  }
  void run(const std::string& query) {
    hits(query);
    d.key(KeyName::enter);
    d.step(3);
    EXPECT_EQ(d.state.dialog, DialogKind::none) << query << ": " << first(query);
  }

  Driver d{phrase_document(kTwelve)};
};

// The list has no room, and nothing in it: its scroll bar was drawn at no number.
TEST_F(Palette, ASearchWithoutAnswerInALowWindowIsDrawn) {
  d.resize(3000, 200);
  d.set_scale(1.25f);
  EXPECT_TRUE(hits("zzzzzzzz").empty());
  EXPECT_FALSE(d.has("palette/list/scrollbar")) << "there is nothing to scroll";
}

TEST_F(Palette, FindsCommandsByNameSynonymInitialsAndWithATypo) {
  EXPECT_EQ(first("expo"), "command: Export...");
  EXPECT_EQ(first("EXPORT"), "command: Export...");
  EXPECT_EQ(first("exprot"), "command: Export...");
  EXPECT_EQ(first("logit lens"), "command: Lens") << "as the view was called";
  EXPECT_EQ(first("bug lab"), "command: Bug lab");
  EXPECT_EQ(first("lab bug"), "command: Bug lab");
  run("buglab");
  EXPECT_EQ(d.session.view.main_view, MainView::bug_lab);
}

TEST_F(Palette, WhatCannotRunSaysWhyAndDoesNothing) {
  const auto found = hits("unpin a");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().entry.refusal, "No result is pinned.");
  d.key(KeyName::enter);
  EXPECT_EQ(d.state.dialog, DialogKind::palette);
}

TEST_F(Palette, SetsOptionsToTypedValues) {
  run("d_model 128");
  EXPECT_EQ(d.session.draft.d_model, 128);
  run("d-model=64");
  EXPECT_EQ(d.session.draft.d_model, 64);
  run("heads 4");
  EXPECT_EQ(d.session.draft.heads, 4);
  run("num_heads 2");
  EXPECT_EQ(d.session.draft.heads, 2);
  run("sofcap 30");
  EXPECT_EQ(d.session.draft.softcap, 30);
  d.session.undo();
  EXPECT_FALSE(d.session.draft.softcap);
}

TEST_F(Palette, SetsMasksAsOneSaysThem) {
  EXPECT_EQ(hits("mask window 3").size(), 1u);
  run("mask window 3");
  EXPECT_EQ(mask_text(d.session.draft.mask), "window:3");
  EXPECT_EQ(first("mask windw 3"), "value: mask window:3");
  EXPECT_EQ(first("mask"), "command: Mask") << "the view of that name";
  run("causal");
  EXPECT_EQ(mask_text(d.session.draft.mask), "causal");
  EXPECT_EQ(first("window 2"), "value: mask window:2");
  EXPECT_EQ(hits("window 2")[1].entry.label, "mask causal,window:2");
  run("mask none");
  EXPECT_TRUE(d.session.draft.mask.empty());
}

TEST_F(Palette, SetsOptionsToTheirWords) {
  run("merge direct");
  EXPECT_EQ(d.session.draft.merge, Merge::direct);
  run("before-scale");
  EXPECT_EQ(d.session.draft.mask_order, MaskOrder::before_scale);
  run("variant no-scale");
  EXPECT_EQ(d.session.draft.variants.size(), 1u);
}

TEST_F(Palette, RefusesValuesThatCannotRun) {
  const auto found = hits("heads 7");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().entry.label, "heads 7");
  EXPECT_NE(found.front().entry.refusal.find("7 does not divide 64"), std::string::npos) << found.front().entry.refusal;
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.draft.heads, 8);
  EXPECT_EQ(d.state.dialog, DialogKind::palette);
  EXPECT_NE(hits("heads seven").front().entry.refusal.find("a possible number of heads"), std::string::npos);
}

TEST_F(Palette, AnOptionByNameLeadsToItsControl) {
  run("dropout_seed");
  EXPECT_EQ(d.focus(), "request/dropout_seed");
}

TEST_F(Palette, SetsHowAResultIsShown) {
  run("colormap magma");
  EXPECT_EQ(d.session.view.weight_map, ColorMap::magma);
  run("cividsi");
  EXPECT_EQ(d.session.view.weight_map, ColorMap::cividis);
  run("range 0,0.5");
  EXPECT_TRUE(d.session.view.range_fixed);
  EXPECT_EQ(d.session.view.range_high, 0.5);
  run("range per row");
  EXPECT_EQ(d.session.view.range, RangeKind::row);
  run("logarithmic");
  EXPECT_TRUE(d.session.view.log_scale);
  run("hide_below 0.2");
  EXPECT_EQ(d.session.view.arcs_hide_below, 0.2);
}

TEST_F(Palette, TheLinesAreFoundByEveryNameTheyHave) {
  for (const char* query : {"arcs", "lines", "links", "heads as arcs"}) {
    d.session.view.heads_show = HeadsShow::grid;
    run(query);
    EXPECT_EQ(d.session.view.heads_show, HeadsShow::arcs) << query;
  }
}

TEST_F(Palette, ChangesSettings) {
  run("theme light");
  EXPECT_EQ(d.settings.theme, Theme::light);
  run("theme contrast");
  EXPECT_EQ(d.settings.theme, Theme::contrast);
  run("dark theme");
  EXPECT_EQ(d.settings.theme, Theme::dark);
  run("zoom 150");
  EXPECT_EQ(d.settings.ui_scale, 1.5);
  run("zoom 100 %");
  EXPECT_EQ(d.settings.ui_scale, 1);
  run("text size 115");
  EXPECT_EQ(d.settings.ui_scale, 1.15) << "text and the layout around it have one size";
  run("text size 100");
  EXPECT_EQ(d.settings.ui_scale, 1);
  run("language español");
  EXPECT_EQ(d.settings.language, "es");
  EXPECT_EQ(hits("zoom 900").front().entry.refusal, "The size is 50 % to 400 %.");
}

TEST_F(Palette, PicksTokens) {
  run("animal");
  ASSERT_TRUE(d.session.view.cell);
  EXPECT_EQ(d.session.view.cell->row, 1);
  run("key street");
  EXPECT_EQ(*d.session.view.cell, (Cell{1, 5}));
  run("key stret");
  EXPECT_EQ(*d.session.view.cell, (Cell{1, 5}));
}

TEST_F(Palette, TokensAreFoundWhateverTheirCaseAndAccents) {
  d.session.draft.phrase = "Ein CAFÉ in der STRASSE";
  d.step(3);
  run("key café");
  EXPECT_EQ(d.session.view.cell->column, 1);
  run("key straße");
  EXPECT_EQ(d.session.view.cell->column, 4);
}

TEST_F(Palette, PicksCells) {
  run("4,3");
  EXPECT_EQ(*d.session.view.cell, (Cell{4, 3}));
  run("it, animal");
  EXPECT_EQ(*d.session.view.cell, (Cell{7, 1}));
  EXPECT_EQ(hits("44,3").front().entry.refusal, "Queries are 0 to 11.");
  EXPECT_EQ(hits("4,3").front().entry.right, "the → cross");
}

TEST_F(Palette, GoesToHeadsAndStages) {
  for (const char* query : {"h3", "head 3", "H3"}) {
    d.session.view.head = 0;
    run(query);
    EXPECT_EQ(d.session.view.head, 3) << query;
  }
  run("0.5");
  EXPECT_EQ(d.session.view.head, 5);
  EXPECT_EQ(hits("1.7").front().entry.refusal, "There is one layer, 0.");
  EXPECT_EQ(hits("h9").front().entry.refusal, "There are 8 heads, 0 to 7.");
  run("stage contxt");
  EXPECT_EQ(d.session.view.stage, StageId::context);
}

TEST_F(Palette, GoesToAHeadOfAnotherLayer) {
  const Document demo = open_document("demo:pronouns", Request(), ViewState());
  d.session.open(demo.request, demo.view);
  d.step(3);
  ASSERT_NE(d.trace().model, nullptr);
  ASSERT_GT(d.trace().model->layers.size(), 1u);
  run("0.1");
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.head, 1);
}

TEST_F(Palette, OpensExamplesAndRecentFiles) {
  d.settings.recent_files = {"/nowhere/Übung.json"};
  const auto found = hits("übung");
  ASSERT_FALSE(found.empty());
  EXPECT_STREQ(found.front().kind->name, "recent file");
  d.key(KeyName::enter);
  d.step();
  ASSERT_FALSE(d.state.notices.empty());  // there is no such file
  EXPECT_EQ(d.state.notices.back().key, "open");
  const std::string before = d.session.document.title;
  run("example 003");
  EXPECT_NE(d.session.document.title, before);
}

TEST_F(Palette, AChoiceMaySetTheFocus) {
  d.state.focus = "inspector/picture";
  run("edit the phrase");
  EXPECT_EQ(d.focus(), "phrase");
  hits("settings...");
  d.key(KeyName::enter);
  d.step();
  EXPECT_EQ(d.state.dialog, DialogKind::settings);
  d.key(KeyName::escape);
  d.step();
  EXPECT_EQ(d.focus(), "phrase");
}

TEST_F(Palette, IsLeftByItsOwnKey) {
  d.ctrl(KeyName::p);
  EXPECT_EQ(d.state.dialog, DialogKind::palette);
  d.ctrl(KeyName::p);
  EXPECT_EQ(d.state.dialog, DialogKind::none);
}

TEST(PaletteMatch, RanksTheBeginningBeforeAWordBeforeTheInsideBeforeScatteredLetters) {
  const SearchQuery query = search_query("cop");
  const int exact = match_rank(query, "cop", false), beginning = match_rank(query, "copy as a command", false),
            word = match_rank(query, "a copy", false), inside = match_rank(query, "microcopy", false),
            scattered = match_rank(query, "compare", false);
  EXPECT_LT(exact, beginning);
  EXPECT_LT(beginning, word);
  EXPECT_LT(word, inside);
  EXPECT_LT(inside, scattered);
  EXPECT_LT(scattered, kNoMatch);
  EXPECT_EQ(match_rank(query, "open", false), kNoMatch);
}

}  // namespace
}  // namespace headscope::ui
