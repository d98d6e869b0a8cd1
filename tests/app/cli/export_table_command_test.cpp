// The tables that the export dialog writes, byte by byte what the command beside them writes.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/session/export/export_job.h"
#include "core/attention/engine.h"
#include "core/circuits/composition_kind.h"
#include "core/sweep/sweep.h"
#include "core/sweep/weight_gradients.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

// Words of a line without quotes in it but around whole words.
std::vector<std::string> plain_words(const std::string& line) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

class ExportTableCommand : public CommandTest {
 protected:
  ExportTableCommand() {
    request_.phrase = "cat box ink fox jam cat";
    request_.model = "demo:induction";
    request_.layer = 1;
    EngineOptions options;
    options.whole_model = true;
    trace_ = Engine(options).run(request_, CancelToken{});
    choice_.format = ExportFile::csv;
    choice_.file = "table.csv";
    view_.head = 7;
    view_.cell = Cell{5, 1};
  }

  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_.path() + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  // The window's file and the command's.
  void expect_same_bytes(ExportSubject subject, const ExportSource& source) {
    choice_.subject = subject;
    EXPECT_EQ(forecast_of(choice_, source, view_).problem, "");
    choice_.folder = folder_.path() + "/window";
    write_export(choice_, source, view_, CancelToken{}, {});
    const std::string command = equivalent_command(choice_, source.trace, view_);
    SCOPED_TRACE(command);
    std::vector<std::string> words = plain_words(command);
    ASSERT_EQ(words.front(), "headscope-cli");
    words.erase(words.begin());
    const Result result = cli(words);
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string written = text_of("window/table.csv");
    EXPECT_GT(written.size(), 100U);
    EXPECT_EQ(written, text_of("table.csv"));
  }

  Request request_;
  std::shared_ptr<const Trace> trace_;
  ViewState view_;
  ExportChoice choice_;
};

TEST_F(ExportTableCommand, PartsOfALogit) {
  view_.main_view = MainView::lens;
  view_.lens.tokens = {6};
  for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads, AttributionBy::sources}) {
    view_.lens.by = by;
    expect_same_bytes(ExportSubject::attribution, *trace_);
  }
  view_.lens.tokens = {6, 9};
  view_.lens.position = 2;
  expect_same_bytes(ExportSubject::attribution, *trace_);
  const std::string of_logit = text_of("table.csv");
  view_.lens.loss = true;
  expect_same_bytes(ExportSubject::attribution, *trace_);
  EXPECT_NE(text_of("table.csv"), of_logit);
}

TEST_F(ExportTableCommand, WritersOfAScore) {
  for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads}) {
    view_.score.by = by;
    expect_same_bytes(ExportSubject::score, *trace_);
  }
}

TEST_F(ExportTableCommand, CompositionOfHeads) {
  expect_same_bytes(ExportSubject::composition, *trace_);
}

TEST_F(ExportTableCommand, GradientsOfWeights) {
  view_.gradients.measure = SweepMeasure::logit;
  view_.gradients.tokens = "box-ink";
  for (const bool path : {false, true}) {
    view_.gradients.path = path;
    view_.gradients.steps = 3;
    const WeightGradients found =
        weight_gradients({}, {request_, "logit:box-ink", std::nullopt, path ? 3 : 0}, CancelToken());
    expect_same_bytes(ExportSubject::gradients, ExportSource(*trace_, &found));
  }
  choice_.subject = ExportSubject::gradients;
  EXPECT_EQ(forecast_of(choice_, *trace_, view_).problem, "The gradients are not computed yet.");
}

TEST_F(ExportTableCommand, ASweepOfMeansOverAList) {
  view_.sweep.numbers = SweepNumbers::means;
  view_.sweep.measure = SweepMeasure::logit;
  view_.sweep.tokens = "box";
  view_.sweep.list = folder_.path() + "/phrases of mine.txt";
  std::ofstream(view_.sweep.list) << "cat box ink\nfox jam cat\n";
  SweepQuestion question;
  question.patched = request_;
  question.ablation = Ablation::mean;
  question.mean_over = {"cat box ink", "fox jam cat"};
  question.metric = "logit:box";
  const Sweep found = sweep({}, question, CancelToken());
  expect_same_bytes(ExportSubject::sweep, ExportSource(FigureSource(*trace_, nullptr, &found)));
}

TEST_F(ExportTableCommand, ASweepWithoutAnotherRun) {
  view_.sweep.numbers = SweepNumbers::zeros;
  view_.sweep.measure = SweepMeasure::logit;
  view_.sweep.tokens = "box";
  view_.sweep.patch = SweepPatch::paths;
  view_.sweep.into = true;
  view_.sweep.end = {1, 7};
  SweepQuestion question;
  question.patched = request_;
  question.patch = SweepPatch::paths;
  question.into = LayerHead{1, 7};
  question.ablation = Ablation::zero;
  question.metric = "logit:box";
  const Sweep found = sweep({}, question, CancelToken());
  expect_same_bytes(ExportSubject::sweep, ExportSource(FigureSource(*trace_, nullptr, &found)));
  view_.sweep.numbers = SweepNumbers::a_into_b;
  EXPECT_EQ(equivalent_command(choice_, *trace_, view_), "") << "the other run would need a file";
}

}  // namespace
}  // namespace headscope
