#include "app/session/export/export_job.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/explain/sensitivity.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class ExportJob : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("headscope-export-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Request request;
    request.phrase = "uno, dos tres";
    request.d_model = 16;
    request.heads = 2;
    request.mask = {{MaskTerm::Kind::causal, 0, ""}};
    Engine engine;
    trace_ = engine.run(request, CancelToken{});
    choice_.folder = folder_.string();
    choice_.scale = 1;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(ExportSubject subject, ExportFile format, const std::string& name) {
    choice_.subject = subject;
    choice_.format = format;
    choice_.file = name;
    return write_export(choice_, *trace_, view_, CancelToken{}, {});
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
  std::shared_ptr<const Trace> trace_;
  ViewState view_;
  ExportChoice choice_;
};

TEST_F(ExportJob, HeadAsCsvHoldsTokensAndTheSameFloats) {
  view_.head = 1;
  const std::string said = write(ExportSubject::head, ExportFile::csv, "h.csv");
  EXPECT_NE(said.find("h.csv"), std::string::npos);
  const std::string text = text_of("h.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "query\\key,\"uno,\",dos,tres");
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  EXPECT_EQ(line, "\"uno,\",1,0,0");
  std::getline(lines, line);
  const float first = std::strtof(line.c_str() + line.find(',') + 1, nullptr);
  EXPECT_EQ(first, trace_->tensor(StageId::weights).at({0, 1, 1, 0}));
}

TEST_F(ExportJob, NpyOfAHeadAndOfAllHeadsKeepEveryBit) {
  write(ExportSubject::head, ExportFile::npy, "head.npy");
  EXPECT_EQ(read_npy((folder_ / "head.npy").string()).tensor.shape(), (Shape{3, 3}));
  write(ExportSubject::heads, ExportFile::npy, "all.npy");
  const NpyArray all = read_npy((folder_ / "all.npy").string());
  EXPECT_EQ(all.tensor.shape(), (Shape{1, 2, 3, 3}));
  EXPECT_EQ(all.tensor.values(), trace_->tensor(StageId::weights).values());
}

TEST_F(ExportJob, SafetensorsNamesTheStage) {
  view_.stage = StageId::concat;
  write(ExportSubject::stage, ExportFile::safetensors, "c.safetensors");
  const SafetensorsFile file = SafetensorsFile::open((folder_ / "c.safetensors").string());
  ASSERT_NE(file.find("concat"), nullptr);
  EXPECT_EQ(file.tensor(*file.find("concat")).values(), trace_->tensor(StageId::concat).values());
}

TEST_F(ExportJob, AllHeadsAsCsvMakeAFolderWithAManifest) {
  write(ExportSubject::heads, ExportFile::csv, "tables");
  EXPECT_TRUE(fs::exists(folder_ / "tables" / "weights.b0.h0.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "tables" / "weights.b0.h1.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "tables" / "manifest.json"));
}

TEST_F(ExportJob, PictureIsAsLargeAsForecastAndReopensAsTheSameRequest) {
  choice_.subject = ExportSubject::head;
  choice_.format = ExportFile::png;
  choice_.file = "head.png";
  const ExportForecast forecast = forecast_of(choice_, *trace_, view_);
  EXPECT_EQ(forecast.problem, "");
  write(ExportSubject::head, ExportFile::png, "head.png");
  const PngInfo info = read_png_info((folder_ / "head.png").string());
  EXPECT_EQ(static_cast<int>(info.width), forecast.width);
  EXPECT_EQ(static_cast<int>(info.height), forecast.height);
  EXPECT_EQ(read_session((folder_ / "head.png").string()).request, trace_->request);
  EXPECT_TRUE(forecast_of(choice_, *trace_, view_).replaces);
}

TEST_F(ExportJob, RecipeCanBeLeftOut) {
  choice_.recipe = false;
  write(ExportSubject::head, ExportFile::png, "plain.png");
  EXPECT_TRUE(read_png_info((folder_ / "plain.png").string()).texts.empty());
}

TEST_F(ExportJob, ScaleMultipliesThePicture) {
  choice_.subject = ExportSubject::heads;
  choice_.format = ExportFile::png;
  choice_.file = "x.png";
  const ExportForecast once = forecast_of(choice_, *trace_, view_);
  choice_.scale = 2;
  const ExportForecast twice = forecast_of(choice_, *trace_, view_);
  EXPECT_GE(twice.width, 2 * once.width - 40);
  EXPECT_LE(twice.width, 2 * once.width + 40);
}

TEST_F(ExportJob, NamesThatCannotBeAreSaid) {
  choice_.subject = ExportSubject::session;
  choice_.format = ExportFile::json;
  for (const char* name : {"", ".", "..", "a/b.json"}) {
    choice_.file = name;
    EXPECT_NE(forecast_of(choice_, *trace_, view_).problem, "") << name;
  }
  choice_.file = "fine.json";
  EXPECT_EQ(forecast_of(choice_, *trace_, view_).problem, "");
}

TEST_F(ExportJob, AStageThatIsNotThereIsSaid) {
  view_.stage = StageId::dropped_weights;
  choice_.subject = ExportSubject::stage;
  choice_.format = ExportFile::npy;
  choice_.file = "d.npy";
  EXPECT_NE(forecast_of(choice_, *trace_, view_).problem.find("dropped_weights"), std::string::npos);
}

TEST_F(ExportJob, CancelledExportLeavesNothing) {
  CancelToken cancel;
  cancel.cancel();
  choice_.subject = ExportSubject::heads;
  choice_.format = ExportFile::csv;
  choice_.file = "gone";
  EXPECT_THROW(write_export(choice_, *trace_, view_, cancel, {}), Cancelled);
  EXPECT_FALSE(fs::exists(folder_ / "gone" / "manifest.json"));
  EXPECT_FALSE(fs::exists(folder_ / "gone" / "weights.b0.h0.csv"));
}

TEST_F(ExportJob, CancelledInTheMiddleStopsReadingAndLeavesNothing) {
  Trace large = *trace_;
  std::int64_t cells = 0;
  for (Stage& stage : large.stages) {
    if (stage.id != StageId::weights) continue;
    stage.tensor = Tensor::computed({1, 2, 4000, 4000}, stage.tensor.axes(), [&](const Region&, std::span<float> out) {
      cells += std::ssize(out);
      std::fill(out.begin(), out.end(), 0.5F);
    });
  }
  for (const ExportFile format : {ExportFile::npy, ExportFile::safetensors}) {
    CancelToken cancel;
    double share = 0;
    cells = 0;
    choice_.subject = ExportSubject::heads;
    choice_.format = format;
    choice_.file = "gone";
    const auto progress = [&](double done) {
      share = done;
      cancel.cancel();
    };
    EXPECT_THROW(write_export(choice_, large, view_, cancel, progress), Cancelled);
    EXPECT_GT(share, 0);
    EXPECT_LT(share, 0.3);
    EXPECT_LT(cells, 2 * 4000 * 4000 / 3);
    EXPECT_TRUE(fs::is_empty(folder_));
  }
}

TEST_F(ExportJob, FolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder_ / "file") << "x";
  choice_.folder = (folder_ / "file" / "below").string();
  EXPECT_THROW(write(ExportSubject::session, ExportFile::json, "s.json"), Error);
}

TEST_F(ExportJob, SuggestedNamesSayWhatTheyHold) {
  choice_.subject = ExportSubject::head;
  choice_.format = ExportFile::png;
  view_.head = 1;
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "uno-dos-tres.weights.head1.png");
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, "street.json"), "street.weights.head1.png");
}

TEST_F(ExportJob, CommandOfAPictureNamesViewAndHead) {
  choice_.subject = ExportSubject::head;
  choice_.file = "x.png";
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_EQ(command.rfind("headscope-cli render", 0), 0u);
  EXPECT_NE(command.find("--view head --head 0"), std::string::npos);
}

TEST_F(ExportJob, CommandOfAPictureCarriesWhatTheViewChanged) {
  choice_.subject = ExportSubject::heads;
  choice_.file = "two words.png";
  choice_.labels = false;
  view_.weight_map = ColorMap::magma;
  view_.range_fixed = true;
  view_.range_low = 0;
  view_.range_high = 0.5;
  view_.log_scale = true;
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_NE(command.find("--colormap magma --range 0,0.5 --log --labels off --out 'two words.png'"), std::string::npos)
      << command;
}

TEST_F(ExportJob, CommandOfLinesSaysWhichHeads) {
  choice_.subject = ExportSubject::arcs;
  choice_.file = "x.png";
  view_.arcs_heads = {0, 1};
  view_.arcs_hide_below = 0.2;
  EXPECT_NE(
      equivalent_command(choice_, *trace_, view_).find("--view arcs --heads-shown 0,1 --hide-below 0.2 --out x.png"),
      std::string::npos);
  view_.arcs_heads->clear();
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find("--view arcs --heads-shown none --hide-below 0.2"),
            std::string::npos);
}

TEST_F(ExportJob, CommandOfOneHeadsNumbersNamesThatHeadAlone) {
  view_.head = 1;
  choice_.subject = ExportSubject::head;
  choice_.format = ExportFile::csv;
  choice_.csv_long = true;  // chosen for another subject: one head is a matrix
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_NE(command.find("--export weights --format csv --region 0,1,:,: --out DIR"), std::string::npos) << command;
}

TEST_F(ExportJob, APictureTakesTheColourMapOfItsOwnStage) {
  view_.stage = StageId::concat;
  view_.signed_map = ColorMap::coolwarm;
  choice_.format = ExportFile::png;
  choice_.subject = ExportSubject::heads;
  EXPECT_EQ(figure_of(choice_, *trace_, view_)->colormap, std::nullopt);
  choice_.subject = ExportSubject::concat;
  EXPECT_EQ(figure_of(choice_, *trace_, view_)->colormap, ColorMap::coolwarm);
}

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

TEST(Sizes, AreShortAndHonest) {
  EXPECT_EQ(size_text(999), "999 bytes");
  EXPECT_EQ(size_text(1234), "1.2 KB");
  EXPECT_EQ(size_text(91'234), "91 KB");
  EXPECT_EQ(size_text(1'234'567), "1.2 MB");
}

}  // namespace
}  // namespace headscope
