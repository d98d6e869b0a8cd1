// A pinned result beside the current one, and what a number depends on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/ui/compare/compare_panel.h"
#include "app/ui/export_dialog_state.h"
#include "core/io/npy.h"
#include "core/request/intervention_list.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(ComparePanel, PinsWhatIsOnScreen) {
  Driver d;
  d.ctrl(KeyName::d);
  d.step(3);
  d.click("compare/pin");
  EXPECT_NE(d.session.pinned(), nullptr);
  d.step(3);
  EXPECT_TRUE(d.has("compare/first/nowhere")) << "A and B are the same result";
  EXPECT_TRUE(d.has("status/pinned"));
}

TEST(ComparePanel, ShowsWhereWhatOneEditsBeginsToDiffer) {
  Driver d;
  d.key(KeyName::d, true, true);
  const std::shared_ptr<const Trace> pinned = d.session.pinned();
  ASSERT_EQ(pinned, d.session.trace());
  d.type(" hoy");
  d.session.draft.scale = 0.3;  // under the causal mask a word at the end changes no row before it
  d.step(3);
  EXPECT_EQ(d.session.pinned(), pinned) << "it stays, whatever is computed";
  d.ctrl(KeyName::d);
  d.step(3);
  EXPECT_TRUE(d.has("compare/first/input"));
  EXPECT_TRUE(d.has("compare/option/phrase"));
  EXPECT_TRUE(d.has("compare/A/picture"));
  EXPECT_TRUE(d.has("compare/B/picture"));
  EXPECT_TRUE(d.has("compare/difference/picture"));
  d.click("compare/stages/context");
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.click("compare/heads/3");
  EXPECT_EQ(d.session.view.head, 3);
  d.click("compare/B/picture", 0.1f, 0.1f);
  EXPECT_TRUE(d.session.view.cell);
  d.click("compare/pin");
  d.step(3);
  EXPECT_EQ(d.session.pinned(), d.session.trace());
  EXPECT_TRUE(d.has("compare/first/nowhere"));
  d.click("compare/unpin");
  EXPECT_EQ(d.session.pinned(), nullptr);
  EXPECT_FALSE(d.has("status/pinned"));
}

// Of the random user of 683,123 events: a head of -1 was kept, and read back as another.
TEST(ComparePanel, ATypedHeadThatThereIsNotBecomesTheNearest) {
  Driver d;
  d.key(KeyName::d, true, true);
  d.ctrl(KeyName::d);
  d.step(3);
  for (const auto& [typed, head] : {std::pair{"-1", 0}, {"99", 7}, {"3", 3}}) {
    d.click("compare/head");
    d.ctrl(KeyName::a);
    d.type(typed);
    EXPECT_EQ(d.session.view.head, head) << typed;
  }
}

TEST(ComparePanel, AStageThatOnlyOneHasIsSaidToBeMissing) {
  Driver d;
  d.session.draft.softcap = 3;
  d.step(3);
  d.key(KeyName::d, true, true);
  d.session.view.stage = StageId::capped_scores;
  d.session.draft.softcap.reset();
  d.session.draft.heads = 4;
  d.ctrl(KeyName::d);
  d.step(4);
  EXPECT_TRUE(d.has("compare/A/picture"));
  EXPECT_FALSE(d.has("compare/B/picture"));
  EXPECT_TRUE(d.has("compare/option/softcap"));
  EXPECT_TRUE(d.has("compare/option/heads"));
  d.click("compare/stages/weights");
  EXPECT_TRUE(d.has("compare/B/picture"));
  EXPECT_FALSE(d.has("compare/difference/picture")) << "8 heads beside 4";
}

TEST(SensitivityPanel, ShowsTheDerivativesOfThePickedCell) {
  Driver d;
  d.key(KeyName::g, true, true);
  EXPECT_EQ(d.session.view.main_view, MainView::sensitivity);
  d.session.view.cell.reset();
  d.step(4);
  const HeadSummary* strongest = d.state.panel_data->summary(0, 0);
  ASSERT_NE(strongest, nullptr);
  EXPECT_EQ(d.session.view.cell, (Cell{strongest->query, strongest->key})) << "nobody picked a cell";
  EXPECT_TRUE(d.has("sensitivity/picture"));
  d.session.view.stage = StageId::output;
  d.session.view.cell = Cell{2, 7};
  d.step(4);
  ASSERT_TRUE(d.has("sensitivity/picture"));
  EXPECT_TRUE(d.has("sensitivity/token/input/4"));
  const auto result = d.session.background.sensitivities.want({d.session.trace(), StageId::output, {0, 2, 7}});
  ASSERT_TRUE(result && result->answer);
  EXPECT_EQ(result->answer->tokens.size(), 1U);
  d.click("sensitivity/by/scores");
  EXPECT_TRUE(d.has("sensitivity/picture"));
  d.choose("sensitivity/stage", "raw_scores");
  EXPECT_EQ(d.session.view.stage, StageId::raw_scores);
  d.step(3);
  EXPECT_TRUE(d.has("sensitivity/words")) << "raw scores do not come from scores";
  EXPECT_TRUE(d.has("sensitivity/token/input/2"));
  d.key(KeyName::g, true, true);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
}

TEST(SensitivityPanel, ATypedCellThatThereIsNotBecomesTheNearest) {
  Driver d(phrase_document(kTwelve));
  d.key(KeyName::g, true, true);
  d.step(4);
  const auto typed = [&](const char* control, const char* text) {
    d.click(control);
    d.ctrl(KeyName::a);
    d.type(text);
  };
  typed("sensitivity/row", "-3");
  EXPECT_EQ(d.session.view.cell->row, 0);
  typed("sensitivity/column", "400");
  EXPECT_EQ(d.session.view.cell->column, 11);
  typed("sensitivity/head", "-1");
  EXPECT_EQ(d.session.view.head, 0);
}

TEST(ComparePanel, WhatIsShownIsWhatIsExported) {
  const TemporaryFolder folder;
  Driver d;
  d.settings.export_folder = folder.path();
  d.key(KeyName::d, true, true);
  const std::shared_ptr<const Trace> a = d.session.pinned();
  d.session.draft.seed = 5;
  d.session.view.head = 3;
  d.ctrl(KeyName::d);
  d.step(3);
  d.ctrl(KeyName::e);
  for (const char* name : {"export/what/first", "export/what/second", "export/what/difference", "export/what/head"}) {
    EXPECT_TRUE(d.has(name)) << name;
  }
  const ExportChoice& choice = d.state.panels.get<ExportDialogState>().choice;
  EXPECT_EQ(choice.subject, ExportSubject::difference);
  EXPECT_GT(d.state.panels.get<ExportDialogState>().preview.width, 100);
  d.click("export/format", 0.88f);
  EXPECT_EQ(choice.format, ExportFile::npy);
  d.click("export/primary");
  d.step(3);
  ASSERT_FALSE(d.session.jobs.current().failed) << d.session.jobs.current().result;
  const Tensor written = read_npy(folder / "hola-mi-nombre-es-alex.difference.weights.head3.npy").tensor;
  EXPECT_EQ(written.at({2, 1}),
            a->tensor(StageId::weights).at({0, 3, 2, 1}) - d.trace().tensor(StageId::weights).at({0, 3, 2, 1}));
  d.ctrl(KeyName::e);
  d.click("export/what/first");
  EXPECT_EQ(choice.file, "hola-mi-nombre-es-alex.a.weights.head3.npy");
  d.click("export/cancel");
  d.click("compare/unpin");
  put_ablated(d.session.draft, {0, 3}, true);
  d.step(3);
  d.ctrl(KeyName::e);
  EXPECT_FALSE(d.has("export/what/difference")) << "nothing is pinned, and the picked head is off already";
}

TEST(ComparePanel, APictureOfADifferenceOpensAsBoth) {
  const TemporaryFolder folder;
  Request a, b;
  {
    Driver d;
    d.settings.export_folder = folder.path();
    d.key(KeyName::d, true, true);
    a = d.session.draft;
    d.session.draft.seed = 5;
    b = d.session.draft;
    d.ctrl(KeyName::d);
    d.step(3);
    d.ctrl(KeyName::e);
    d.click("export/primary");
    d.step(3);
  }
  Driver other;
  other.drop(folder / "hola-mi-nombre-es-alex.difference.weights.head0.png");
  other.step(5);
  EXPECT_EQ(other.session.view.main_view, MainView::compare);
  ASSERT_NE(other.session.pinned(), nullptr);
  EXPECT_EQ(other.session.pinned()->request, a);
  EXPECT_EQ(other.session.draft, b);
  EXPECT_EQ(other.trace().request, b);
  EXPECT_TRUE(other.has("compare/difference/picture"));
  other.ctrl(KeyName::z);
  EXPECT_EQ(other.session.draft, demo_document().request) << "opening A and B is one step";
  EXPECT_FALSE(other.session.can_undo());
}

TEST(BugLabExport, RightWrongAndTheirDifferenceAreWritten) {
  Driver d;
  d.ctrl(KeyName::b);
  d.step(4);
  ASSERT_EQ(d.session.view.main_view, MainView::bug_lab);
  d.ctrl(KeyName::e);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.subject, ExportSubject::difference);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.file, "hola-mi-nombre-es-alex.difference.concat.png");
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().forecast.problem, "");
  d.click("export/what/second");
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.file, "hola-mi-nombre-es-alex.wrong.concat.png");
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().previewed_trace->request.merge, Merge::direct);
  d.click("export/what/first");
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().previewed_trace->request.merge, Merge::transpose);
}

TEST(SensitivityPanel, ItsMapIsExported) {
  Driver d;
  d.session.view.stage = StageId::output;
  d.session.view.cell = Cell{2, 7};
  d.key(KeyName::g, true, true);
  d.step(4);
  d.ctrl(KeyName::e);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.subject, ExportSubject::sensitivity);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().forecast.problem, "");
  EXPECT_GT(d.state.panels.get<ExportDialogState>().preview.width, 100);
}

TEST(ComparePanel, ThreeMapsHaveEqualCellsAndAllTheirNumbers) {
  for (const auto& [width, height] : {std::pair{2560, 1440}, {1600, 1000}, {1280, 800}}) {
    Driver d(phrase_document("The animal was too tired"), width, height);
    d.session.pin();
    d.session.draft.phrase = "The animal was too wide";
    for (const StageId stage : {StageId::weights, StageId::raw_scores, StageId::context}) {
      d.session.view.main_view = MainView::compare;
      d.session.view.stage = stage;
      d.step(4);
      const Rect a = d.rect("compare/A/picture"), difference = d.rect("compare/difference/picture");
      EXPECT_NEAR(a.width(), difference.width(), 1) << width;
      EXPECT_NEAR(a.min.y, difference.min.y, 1) << width;
      const Rect bar = d.rect("compare/difference/picture/color_bar");
      EXPECT_LE(bar.max.x, d.rect("compare/difference").max.x) << width << stage_name(stage);
      EXPECT_LE(d.rect("compare/A/picture/color_bar").max.x, d.rect("compare/B").min.x) << width;
    }
  }
}

TEST(ComparePanel, CellsAreEqualAlsoWhereOneTextIsLonger) {
  Driver d(phrase_document("The animal was too tired"), 1280, 800);
  d.session.pin();
  d.session.draft.phrase = "The animal was too tired to go on";
  d.session.view.main_view = MainView::compare;
  d.session.view.stage = StageId::weights;
  d.step(4);
  const Rect a = d.rect("compare/A/picture"), b = d.rect("compare/B/picture");
  const auto queries = static_cast<float>(d.trace().query_len());
  EXPECT_NEAR(a.width() / 5, b.width() / queries, 0.2);
  EXPECT_NEAR(a.height() / 5, b.height() / queries, 0.2);
}

TEST(ComparePanel, SmallWindowsKeepAllParts) {
  for (const auto& [width, height] : {std::pair{1280, 800}, {960, 640}}) {
    Driver d(width, height);
    d.key(KeyName::d, true, true);
    d.type(" x");
    d.ctrl(KeyName::d);
    d.step(3);
    for (const char* name : {"compare/A/picture", "compare/B/picture", "compare/difference/picture", "compare/readout",
                             "compare/stages/weights"}) {
      EXPECT_TRUE(d.has(name)) << name << " at " << width;
    }
    EXPECT_LT(d.rect("compare/A/picture").max.x, d.rect("compare/B/picture").min.x);
  }
}

}  // namespace
}  // namespace headscope::ui
