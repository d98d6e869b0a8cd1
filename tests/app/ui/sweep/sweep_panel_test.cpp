// The view 'sweep': which part of a model carries the difference from the pinned result.
#include "app/ui/sweep/sweep_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kLayers = 2, kHeads = 8;  // of demo:induction
constexpr const char* kOfA = "cat ink box fox jam cat";
constexpr const char* kOfB = "cat box ink fox jam cat";

class SweepPanel : public testing::Test {
 protected:
  SweepPanel() : d(open_document("demo:induction", Request(), ViewState())) {
    type(kOfA);
    d.key(KeyName::d, true, true);  // pins it
    type(kOfB);
    d.key(KeyName::r, true, true);
    d.step(4);
  }
  void type(const char* phrase) {
    d.session.draft.phrase = phrase;
    d.step(4);
  }
  SweepView& view() { return d.session.view.sweep; }
  // What the command line computes of the same question.
  Sweep computed(const std::string& metric, SweepPatch patch, bool noise = false) {
    SweepQuestion question{d.trace().request, d.session.pinned()->request, metric, patch, std::nullopt};
    return computed(std::move(question), noise);
  }
  static Sweep computed(SweepQuestion question, bool noise = false) {
    if (noise) std::swap(question.patched, question.source);
    return sweep({}, question, CancelToken{});
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  Driver d;
};

TEST_F(SweepPanel, MeasuresWhatASaysLessWhatBSays) {
  EXPECT_EQ(d.session.view.main_view, MainView::sweep);
  EXPECT_EQ(d.focus(), kSweepGrid);
  EXPECT_EQ(d.names("sweep/cell/").size(), static_cast<std::size_t>(kLayers * kHeads));
  const Sweep known = computed("logit:ink-box", SweepPatch::heads);
  EXPECT_TRUE(shows("logit of 'ink'")) << "A goes on with ink, B with box";
  const auto farthest = std::max_element(known.cells.begin(), known.cells.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.value - known.unpatched) < std::abs(b.value - known.unpatched);
  });
  EXPECT_TRUE(shows(fmt::format("largest change: layer {}, head {}: {}", farthest->layer, *farthest->head,
                                number_label(farthest->value, 4))));
  EXPECT_TRUE(shows(number_label(known.unpatched, 4)));
  EXPECT_TRUE(shows(number_label(*known.source, 4)));
}

TEST_F(SweepPanel, EveryPatchHasItsMap) {
  d.choose("sweep/measure", "divergence");
  EXPECT_EQ(view().measure, SweepMeasure::kl);
  d.choose("sweep/patch", "positions");
  EXPECT_EQ(view().patch, SweepPatch::positions);
  d.step(4);
  const auto tokens = static_cast<std::size_t>(d.trace().query_len());
  EXPECT_EQ(d.names("sweep/cell/").size(), static_cast<std::size_t>(kLayers) * tokens);
  d.choose("sweep/patch", "stages");
  d.step(4);
  EXPECT_EQ(d.names("sweep/cell/").size(), static_cast<std::size_t>(kLayers) * std::size(kSweepStages));
  d.click("sweep/cell/3,1");
  const Sweep known = computed("kl", SweepPatch::stages);
  const SweepCell& cell = known.cells[std::size(kSweepStages) + 3];
  EXPECT_EQ(cell.stage, "weights");
  EXPECT_TRUE(shows("layer 1, weights: " + number_label(cell.value, 4)));
}

TEST_F(SweepPanel, TheOtherDirectionPatchesA) {
  d.choose("sweep/numbers", "B into A");
  d.step(4);
  const Sweep known = computed("logit:ink-box", SweepPatch::heads, true);
  EXPECT_TRUE(shows("zero is A as it ran, " + number_label(known.unpatched, 4)));
}

TEST_F(SweepPanel, ATokenIsAskedForAndAWrongOneIsSaid) {
  d.choose("sweep/measure", "logit");
  EXPECT_TRUE(d.has("sweep/sentence: Type what is measured: a token, or the place of a number."));
  d.click("sweep/tokens");
  d.type("box");
  d.step(4);
  EXPECT_EQ(view().tokens, "box");
  EXPECT_TRUE(shows("logit of 'box'"));
  d.type("zz");
  d.step(4);
  EXPECT_TRUE(shows("'boxzz' is no token"));
}

TEST_F(SweepPanel, APickedNumberIsMeasured) {
  d.session.view.stage = StageId::weights;
  d.session.view.head = 7;
  d.session.view.cell = Cell{4, 1};
  d.session.draft.layer = 1;
  d.step(4);
  d.choose("sweep/measure", "a number");
  d.step(4);
  EXPECT_EQ(view().measure, SweepMeasure::cell);
  EXPECT_EQ(view().number, "1/weights:0,7,4,1");
  const Sweep known = computed("cell:1/weights:0,7,4,1", SweepPatch::heads);
  EXPECT_TRUE(shows("change of the cell 1/weights:0,7,4,1"));
  EXPECT_TRUE(
      shows("zero is B as it ran, " + number_label(known.unpatched, 4) + "; A has " + number_label(*known.source, 4)));
  d.session.view.cell = Cell{4, 2};
  d.step(4);
  EXPECT_EQ(view().number, "1/weights:0,7,4,1") << "what was asked stays";
  d.click("sweep/picked");
  EXPECT_EQ(view().number, "1/weights:0,7,4,2");
  view().number = "1/weights:0,7,40,2";
  d.step(4);
  EXPECT_TRUE(shows("has the shape"));
}

TEST_F(SweepPanel, ArrowsWalkAndEnterOpensTheHead) {
  d.click("sweep/cell/0,2");
  d.key(KeyName::down);
  d.key(KeyName::right);
  EXPECT_EQ(view().cell, (Cell{1, 3}));
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).sweep, view());
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 3);
}

TEST_F(SweepPanel, ACellOfAPositionOpensItsToken) {
  d.choose("sweep/patch", "positions");
  d.step(4);
  d.double_click("sweep/cell/1,2");
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.view.cell->row, 2);
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)), d.session.view) << "a session keeps it";
}

TEST_F(SweepPanel, ItsPictureIsExportedWithWhatItMeasured) {
  d.key(KeyName::e, true);
  d.step(2);
  const ExportDialogState& state = d.state.panels.get<ExportDialogState>();
  EXPECT_EQ(state.choice.subject, ExportSubject::sweep);
  EXPECT_EQ(state.forecast.problem, "");
  EXPECT_GT(state.preview.width, 100);
  EXPECT_EQ(state.choice.file, "demo-induction.sweep.png");
  d.key(KeyName::escape);
  d.click("sweep/estimate", 0.85f);
  d.step(4);
  d.key(KeyName::e, true);
  d.step(2);
  EXPECT_NE(state.forecast.problem, "") << "estimates alone are no runs";
}

TEST_F(SweepPanel, WithoutAItSaysWhatToDo) {
  d.push(CommandId::unpin);
  d.step(2);
  ASSERT_TRUE(d.has("sweep/pin"));
  d.click("sweep/pin");
  d.step(4);
  EXPECT_NE(d.session.pinned(), nullptr);
  EXPECT_TRUE(d.has("sweep/cell/0,0"));
  EXPECT_TRUE(shows("divergence")) << "A and B say the same";
  EXPECT_TRUE(shows("no patch changes it"));
}

TEST_F(SweepPanel, ZerosAndMeansNeedNoOtherText) {
  d.push(CommandId::unpin);
  d.step(2);
  d.click("sweep/zeros");
  d.step(4);
  EXPECT_EQ(view().numbers, SweepNumbers::zeros);
  SweepQuestion question;
  question.patched = d.trace().request;
  question.metric = "logit:box";
  question.ablation = Ablation::zero;
  const Sweep zeros = computed(question);
  EXPECT_TRUE(shows("change of the logit of 'box'")) << "what the model says";
  EXPECT_TRUE(shows("zero is the run as it was, " + number_label(zeros.unpatched, 4) + "; a part is set to zeros"));
  d.click("sweep/cell/1,7");
  EXPECT_TRUE(shows("layer 1, head 7: " + number_label(zeros.cells[15].value, 4)));
  d.choose("sweep/numbers", "means");
  d.hover("menu/File");  // away from the cells
  d.step(4);
  question.ablation = Ablation::mean;
  EXPECT_TRUE(shows("layer 1, head 7: " + number_label(computed(question).cells[15].value, 4)));
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).sweep, view());
}

TEST_F(SweepPanel, MeansMayBeThoseOfAListOfPhrases) {
  const auto list = std::filesystem::temp_directory_path() / fmt::format("means-{}.txt", ::getpid());
  std::ofstream(list) << "fox jam cat fox\n\nink box ink\n";
  d.choose("sweep/numbers", "means");
  EXPECT_TRUE(shows("this text"));
  EXPECT_FALSE(d.has("sweep/this_text"));
  d.click("sweep/list");
  EXPECT_EQ(d.state.dialog, DialogKind::choose_file);
  d.key(KeyName::escape);
  d.push(CommandId::sweep_list, list.string());
  d.step(6);
  SweepQuestion question;
  question.patched = d.trace().request;
  question.metric = "logit:box";
  question.ablation = Ablation::mean;
  const double alone = computed(question).cells[15].value;
  question.mean_over = {"fox jam cat fox", "ink box ink"};
  const double of_list = computed(question).cells[15].value;
  ASSERT_NE(number_label(alone, 4), number_label(of_list, 4));
  d.click("sweep/cell/1,7");
  EXPECT_TRUE(shows("layer 1, head 7: " + number_label(of_list, 4)));
  EXPECT_TRUE(shows("the phrases of " + list.filename().string()));
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).sweep, view());
  d.click("sweep/this_text");
  d.step(6);
  EXPECT_TRUE(shows("layer 1, head 7: " + number_label(alone, 4)));
  std::filesystem::remove(list);
  d.push(CommandId::sweep_list, list.string());
  d.step(6);
  EXPECT_FALSE(d.names("sweep/sentence: ").empty()) << "why there are no means";
}

TEST_F(SweepPanel, PathsBeginAtThePickedHeadAndEndAtIt) {
  d.click("sweep/cell/0,5");
  d.choose("sweep/patch", "paths from a head");
  d.step(4);
  EXPECT_EQ(view().end, (LayerHead{0, 5}));
  SweepQuestion question{d.trace().request, d.session.pinned()->request, "logit:ink-box", SweepPatch::paths, {}};
  question.from = LayerHead{0, 5};
  Sweep paths = computed(question);
  EXPECT_EQ(d.names("sweep/cell/").size(), paths.cells.size());
  EXPECT_TRUE(shows("layer 1 key"));
  d.click("sweep/cell/1,3");
  EXPECT_TRUE(shows("layer 0, head 5, into key of layer 1, head 3: " + number_label(paths.cells[8 + 3].value, 4)));
  d.choose("sweep/patch", "paths into a head");
  d.step(4);
  EXPECT_TRUE(shows("into: found 0:5, but a path goes from a layer to a later one of 2")) << "nothing is before it";
  d.click("sweep/end/layer/+");
  d.step(4);
  EXPECT_EQ(view().end, (LayerHead{1, 5}));
  question.from.reset();
  question.into = LayerHead{1, 5};
  paths = computed(question);
  d.double_click("sweep/cell/1,2");
  EXPECT_EQ(d.session.draft.layer, 0) << "the head that the path begins at";
  EXPECT_EQ(d.session.view.head, 2);
}

TEST_F(SweepPanel, EstimatesStandBesideTheRuns) {
  d.choose("sweep/numbers", "zeros");
  d.click("sweep/estimate", 0.5f);
  d.step(4);
  SweepQuestion question;
  question.patched = d.trace().request;
  question.metric = "logit:box";
  question.ablation = Ablation::zero;
  question.estimate = SweepEstimate::beside;
  const Sweep found = computed(question);
  EXPECT_EQ(d.names("sweep/cell/").size(), 16U);
  EXPECT_EQ(d.names("sweep/estimated/").size(), 16U);
  EXPECT_TRUE(shows(fmt::format("runs and estimates correlate {:.3f}", *found.correlation)));
  d.click("sweep/estimated/1,2");
  EXPECT_EQ(view().cell, (Cell{1, 2}));
  EXPECT_TRUE(shows("estimated " + number_label(*found.cells[10].estimate, 4)));
  d.click("sweep/estimate", 0.85f);
  d.step(4);
  EXPECT_EQ(view().estimate, SweepEstimate::alone);
  EXPECT_TRUE(d.names("sweep/estimated/").empty());
  EXPECT_TRUE(shows("largest estimated change: "));
  EXPECT_TRUE(shows("layer 1, head 2: estimated " + number_label(*found.cells[10].estimate, 4)));
}

}  // namespace
}  // namespace headscope::ui
