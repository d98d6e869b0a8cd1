// What is no stage of one result: the difference of two, one of two, derivatives.
#include "core/explain/sensitivity.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "tests/app/session/export/export_fixture.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

TEST_F(ExportJob, ADifferenceIsWrittenAsPictureTableAndArray) {
  Request other = trace_->request;
  other.mask.clear();
  other.phrase = "uno, dos cuatro";
  Engine engine;
  const std::shared_ptr<const Trace> b = engine.run(other, CancelToken{});
  view_.main_view = MainView::compare;
  view_.head = 1;
  const FigureSource source(*b, trace_.get());
  choice_.subject = ExportSubject::difference;
  const auto written = [&](ExportFile format, const std::string& name) {
    choice_.format = format;
    choice_.file = name;
    const ExportForecast forecast = forecast_of(choice_, source, view_);
    EXPECT_EQ(forecast.problem, "");
    EXPECT_EQ(forecast.files, 1);
    write_export(choice_, source, view_, CancelToken{}, {});
    const auto bytes = static_cast<std::int64_t>(fs::file_size(folder_ / name));
    if (forecast.exact) {
      EXPECT_EQ(forecast.bytes, bytes) << name;
    }
  };
  written(ExportFile::npy, "d.npy");
  const Tensor numbers = read_npy((folder_ / "d.npy").string()).tensor;
  ASSERT_EQ(numbers.shape(), (Shape{3, 3}));
  EXPECT_EQ(numbers.at({1, 2}),
            trace_->tensor(StageId::weights).at({0, 1, 1, 2}) - b->tensor(StageId::weights).at({0, 1, 1, 2}));
  written(ExportFile::csv, "d.csv");
  const std::string text = text_of("d.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "query\\key,\"uno,\",dos,tres \u2192 cuatro");
  EXPECT_NE(text.find(",-0."), std::string::npos) << "data has the ASCII minus: " << text;
  written(ExportFile::png, "d.png");
  const SessionFile recipe = read_session((folder_ / "d.png").string());
  EXPECT_EQ(recipe.request, b->request);
  ASSERT_TRUE(recipe.against);
  EXPECT_EQ(*recipe.against, trace_->request);
  written(ExportFile::svg, "d.svg");
  EXPECT_NE(text_of("d.svg").find("A \u2212 B"), std::string::npos);
  EXPECT_EQ(equivalent_command(choice_, *b, view_), "");
  EXPECT_EQ(suggested_file(choice_, *b, view_, ""), "uno-dos-cuatro.difference.weights.head1.svg");

  other.heads = 4;
  const std::shared_ptr<const Trace> unlike = engine.run(other, CancelToken{});
  EXPECT_NE(forecast_of(choice_, {*unlike, trace_.get()}, view_).problem, "");
  choice_.format = ExportFile::csv;
  EXPECT_NE(forecast_of(choice_, {*unlike, trace_.get()}, view_).problem, "");
}

TEST_F(ExportJob, OneOfTwoResultsIsTheMatrixThatTheViewShows) {
  view_.main_view = MainView::bug_lab;
  view_.stage = StageId::concat;
  write(ExportSubject::second, ExportFile::csv, "wrong.csv");
  EXPECT_EQ(text_of("wrong.csv").substr(0, 20), "token\\feature,0,1,2,");
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "uno-dos-tres.wrong.concat.csv");
  EXPECT_EQ(subject_title(ExportSubject::difference, view_), "Wrong \u2212 right");
  EXPECT_EQ(usual_subject(view_, true), ExportSubject::difference);
  EXPECT_EQ(usual_subject(view_, false), ExportSubject::stage);
}

TEST_F(ExportJob, DerivativesOfThePickedCellAreWritten) {
  view_.main_view = MainView::sensitivity;
  view_.stage = StageId::output;
  view_.head = 1;
  choice_.subject = ExportSubject::sensitivity;
  choice_.file = "s.npy";
  choice_.format = ExportFile::npy;
  EXPECT_NE(forecast_of(choice_, *trace_, view_).problem, "") << "no cell is picked";
  view_.cell = Cell{2, 5};
  EXPECT_EQ(forecast_of(choice_, *trace_, view_).problem, "");
  write(ExportSubject::sensitivity, ExportFile::npy, "s.npy");
  const Sensitivity found = sensitivity(*trace_, StageId::output, {0, 2, 5}, {});
  EXPECT_EQ(read_npy((folder_ / "s.npy").string()).tensor.at({2, 1}), found.weights.at({1, 2, 1}));
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find("--stage output --at 0,2,5 --json"), std::string::npos);
  choice_.format = ExportFile::png;
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_NE(command.find("--view sensitivity --head 1 --at 0,2,5 --stage output"), std::string::npos) << command;
  write(ExportSubject::sensitivity, ExportFile::png, "s.png");
  EXPECT_EQ(read_session((folder_ / "s.png").string()).view->at, (std::vector<std::int64_t>{0, 2, 5}));
}

}  // namespace
}  // namespace headscope
