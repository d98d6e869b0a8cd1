// The view 'corpus': all heads of a scan, one head, and its examples, which open in the microscope.
#include "app/ui/corpus/corpus_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "app/ui/export_dialog_state.h"
#include "core/attention/model_trace.h"
#include "core/corpus/corpus_report.h"
#include "core/io/files_read.h"
#include "core/model/demo_checkpoints.h"
#include "tests/app/session/corpus_files.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kHeads = 16;  // of demo:induction

class CorpusPanel : public testing::Test {
 protected:
  void open(bool with_list = true, const CorpusRecord& record = test::scanned_lines()) {
    d.drop(test::write_scanned(folder, "all", with_list, record));
    d.step(4);
  }
  CorpusView& view() { return d.session.view.corpus; }
  CorpusPanelState& panel() { return d.state.panels.get<CorpusPanelState>(); }
  const HeadRecord& head() {
    const CorpusRecord& record = test::scanned_lines();
    return *std::find_if(record.heads.begin(), record.heads.end(), [&](const HeadRecord& each) {
      return each.layer == view().head->row && each.head == view().head->column;
    });
  }
  const Notice* notice(const std::string& key) {
    const auto found = std::find_if(d.state.notices.begin(), d.state.notices.end(),
                                    [&](const Notice& each) { return each.key == key; });
    return found == d.state.notices.end() ? nullptr : &*found;
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  TemporaryFolder folder;
  Driver d;
};

TEST_F(CorpusPanel, WithoutAFileItSaysHowToGetInAndOut) {
  d.key(KeyName::a, true, true);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_EQ(d.focus(), "corpus/open_file");
  EXPECT_TRUE(d.has("corpus/shipped"));
  d.click("corpus/open_file");
  EXPECT_EQ(d.state.dialog, DialogKind::open_file);
  d.key(KeyName::escape);
  d.click("corpus/leave");
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
}

TEST_F(CorpusPanel, ADroppedFileShowsAllHeadsInBoth) {
  const Request before = d.session.draft;
  open();
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_EQ(d.session.draft, before) << "what is computed stays";
  EXPECT_EQ(d.names("corpus/cell/").size(), kHeads);
  EXPECT_EQ(panel().plot.points.points.size() + panel().plot.points.covered, kHeads);
  EXPECT_FALSE(d.names("corpus/fact: what 16 heads of demo:induction do over 22 phrases").empty());
  EXPECT_FALSE(d.names("corpus/source: phrases of all.txt").empty()) << "it lies beside the file";
  EXPECT_EQ(d.focus(), kCorpusGrid);
}

TEST_F(CorpusPanel, AHeadIsPickedInTheGridAndNamedInThePlane) {
  open();
  d.click("corpus/cell/1.2");
  EXPECT_EQ(view().head, (Cell{1, 2}));
  d.step();
  EXPECT_TRUE(d.has("corpus/name/1.2"));
  d.key(KeyName::right);
  EXPECT_EQ(view().head, (Cell{1, 3}));
  d.key(KeyName::up);
  EXPECT_EQ(view().head, (Cell{0, 3}));
  d.key(KeyName::end);
  EXPECT_EQ(view().head, (Cell{1, 7}));
}

TEST_F(CorpusPanel, AsManyHeadsAsFitAreNamedInThePlane) {
  open();
  const std::vector<std::string> names = d.names("corpus/name/");
  EXPECT_GE(names.size(), 8U) << "of 16";
  for (std::size_t a = 0; a < names.size(); ++a) {
    const Rect one = d.rect(names[a]);
    for (std::size_t b = 0; b < a; ++b) {
      const Rect other = d.rect(names[b]);
      EXPECT_TRUE(one.min.x >= other.max.x - 1 || one.max.x <= other.min.x + 1 || one.min.y >= other.max.y - 1 ||
                  one.max.y <= other.min.y + 1)
          << names[a] << " lies on " << names[b];
    }
  }
  const int made = panel().names_made;
  d.step(3);
  EXPECT_EQ(panel().names_made, made) << "placed once";
  ASSERT_FALSE(panel().names.names.empty());
  EXPECT_EQ(panel().names.names.front().head, 0U) << "the picked one comes first";
}

TEST_F(CorpusPanel, APointIsPickedInThePlane) {
  open();
  const PlotPoint point = panel().plot.points.points.front();
  const Rect plot = d.rect(kCorpusScatter);
  const ImVec2 at{plot.min.x + point.x, plot.min.y + point.y};
  d.move(at);
  d.step();
  ASSERT_TRUE(panel().hovered);
  d.click_at(at);
  const HeadTable::Head& picked = panel().plot.table->heads[*panel().hovered];
  EXPECT_EQ(view().head, (Cell{picked.layer, picked.head}));
}

TEST_F(CorpusPanel, AxesAreChosenAndKept) {
  open();
  const int made = panel().plots_made;
  d.choose("corpus/x", "entropy");
  EXPECT_EQ(view().x, "entropy");
  d.choose("corpus/color", "sink");
  d.choose("corpus/grid_metric", "self");
  EXPECT_EQ(view().grid, "self");
  EXPECT_EQ(panel().plots_made, made + 2) << "laid out once for each change of the plane";
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).corpus, view());
}

TEST_F(CorpusPanel, MeansThatTheScanAskedForAreChosenToo) {
  CorpusRecord record = test::scanned_lines();
  record.facts.repeated = 4;
  record.facts.ablation_sample = 1;
  record.loss_tokens = 2;
  record.loss.add(3);
  for (std::size_t k = 0; k < record.heads.size(); ++k) record.heads[k].ablated_loss.add(3 + static_cast<double>(k));
  open(true, record);
  EXPECT_TRUE(shows("loss ablated")) << "among the means of a head";
  d.choose("corpus/grid_metric", "loss ablated");
  EXPECT_EQ(view().grid, "loss_ablated");
  d.choose("corpus/y", "repeated induction");
  EXPECT_EQ(view().y, "repeated_induction");
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).corpus, view());
  EXPECT_TRUE(shows("16 have no such value")) << "no row was run";
  // Another scan did not ask: the first mean is shown, and the wish is kept.
  d.drop(test::write_scanned(folder, "plain", true, test::scanned_lines()));
  d.step(4);
  EXPECT_FALSE(shows("loss ablated"));
  EXPECT_EQ(view().grid, "loss_ablated");
}

TEST_F(CorpusPanel, EnterOpensTheExampleAndUndoComesBack) {
  open();
  d.click("corpus/cell/1.7");
  d.click("corpus/example/2");
  d.key(KeyName::down);
  EXPECT_EQ(view().example, 3);
  const CorpusExample example = head().top[3];
  d.key(KeyName::enter);
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.model, "demo:induction");
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 7);
  EXPECT_EQ(d.session.view.cell, (Cell{example.query, example.key}));
  EXPECT_EQ(d.trace().tensor(StageId::weights).at({0, 7, example.query, example.key}), example.value)
      << "the very weight that was counted";
  d.ctrl(KeyName::z);
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_EQ(view().head, (Cell{1, 7}));
}

TEST_F(CorpusPanel, WithoutTheListItAsksForIt) {
  open(false);
  d.click("corpus/open");
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  ASSERT_NE(notice("corpus/example"), nullptr);
  EXPECT_EQ(notice("corpus/example")->command.id, CommandId::corpus_list);
  d.push(CommandId::corpus_list);
  d.step(2);
  EXPECT_EQ(d.state.dialog, DialogKind::choose_file);
  d.key(KeyName::escape);
  d.push(CommandId::corpus_list, folder.write("wrong.txt", "cat box\n"));
  d.step(2);
  EXPECT_FALSE(d.names("corpus/source: wrong.txt is not the list that was scanned").empty());
  d.push(CommandId::corpus_list, folder.write("right.txt", test::demo_lines(test::kScannedLines)));
  d.step(2);
  EXPECT_FALSE(d.names("corpus/source: phrases of right.txt").empty());
  d.click("corpus/open");
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
}

TEST_F(CorpusPanel, AnotherModelIsTheOneThatIsOpen) {
  CorpusRecord record = test::scanned_lines();
  record.facts.model = "my-model";
  open(true, record);
  d.click("corpus/open");
  ASSERT_NE(notice("corpus/example"), nullptr);
  EXPECT_NE(notice("corpus/example")->advice.find("my-model"), std::string::npos) << notice("corpus/example")->advice;
  EXPECT_NE(notice("corpus/example")->advice.find(record.facts.sha256), std::string::npos);
  d.session.draft = Request();
  d.session.draft.model = demo_folder("pronouns");
  d.session.draft.phrase = "the cat";
  d.step(2);
  d.click("corpus/open");
  EXPECT_NE(notice("corpus/example")->advice.find("is not the model that was scanned"), std::string::npos);
  d.session.draft.model = demo_folder("induction");
  d.session.draft.phrase = "cat box";
  d.step(2);
  d.click("corpus/open");
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.model, demo_folder("induction"));
}

TEST_F(CorpusPanel, TheTableIsCopiedAsCsv) {
  d.push(CommandId::corpus_table);
  d.step(2);
  EXPECT_EQ(d.clipboard, "");
  open();
  d.click("corpus/copy");
  d.step(2);
  EXPECT_EQ(d.clipboard, heads_csv(test::scanned_lines()));
}

TEST_F(CorpusPanel, ItsPictureOpensAgainInTheView) {
  open();
  d.click("corpus/cell/1.2");
  view().chosen = {{0, 3}, {1, 2}};
  view().y = "self";
  const CorpusView shown = view();
  d.click("corpus/export");
  d.step(3);
  ASSERT_EQ(d.state.dialog, DialogKind::export_dialog);
  ExportDialogState& dialog = d.state.panels.get<ExportDialogState>();
  EXPECT_EQ(dialog.choice.subject, ExportSubject::corpus);
  EXPECT_GT(dialog.preview.width, 600);
  dialog.choice.folder = folder.path();
  for (const char* format : {"SVG", "PNG"}) {
    if (d.state.dialog != DialogKind::export_dialog) {
      d.click("corpus/export");
      d.step(3);
    }
    d.click(std::string("export/format/") + format);
    d.step(2);
    EXPECT_EQ(dialog.forecast.problem, "");
    const std::string file = folder / dialog.choice.file;
    d.click("export/primary");
    for (int k = 0; k < 2000 && d.session.jobs.current().running; ++k) {
      d.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_FALSE(d.session.jobs.current().failed) << d.session.jobs.current().result;
    view() = CorpusView();
    d.session.view.main_view = MainView::layer;
    d.drop(file);
    d.step(4);
    EXPECT_EQ(d.session.view.main_view, MainView::corpus) << file;
    EXPECT_EQ(view(), shown) << file;
  }
}

TEST_F(CorpusPanel, ADamagedFileIsNamed) {
  const std::string file = test::write_scanned(folder, "all", false);
  std::string bytes = bytes_of(file);
  bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
  d.drop(folder.write("all.hsagg", bytes));
  d.step(2);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_TRUE(shows("all.hsagg"));
  EXPECT_TRUE(d.has("corpus/open_file")) << "a way out";
  EXPECT_TRUE(d.names("corpus/cell/").empty());
  forget_files_read();  // another program writes it again
  open();
  EXPECT_EQ(d.names("corpus/cell/").size(), kHeads) << "a file that was written again is read again";
}

TEST_F(CorpusPanel, EverySizeOfWindowShowsAllParts) {
  open();
  for (const auto& [width, height] : {std::pair{960, 640}, {1280, 800}, {2560, 1440}}) {
    d.resize(width, height);
    d.step(3);
    for (const char* part : {kCorpusScatter, kCorpusGrid, kCorpusExamples}) {
      EXPECT_TRUE(d.has(part)) << part << " at " << width;
    }
    EXPECT_EQ(d.names("corpus/cell/").size(), kHeads) << width;
  }
}

}  // namespace
}  // namespace headscope::ui
