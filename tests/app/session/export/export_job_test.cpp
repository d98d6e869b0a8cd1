// Files of one result, and what is said of them before they are written.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "app/session/corpus_heads.h"
#include "app/session/corpus_recipe.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "tests/app/session/export/export_fixture.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

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

// The main view is the corpus in both; render has to tell them apart.
TEST_F(ExportJob, APictureOfACorpusIsKnownByItsRecipe) {
  view_.main_view = MainView::corpus;
  view_.corpus.file = "/a/all.hsagg";
  write(ExportSubject::head, ExportFile::png, "head.png");
  const std::string head = (folder_ / "head.png").string(), heads = (folder_ / "heads.png").string();
  EXPECT_FALSE(corpus_picture_of(read_session(head), head).has_value());
  CorpusContents contents;
  contents.record = std::make_shared<const CorpusRecord>(test::made_record(3, 40, {0, 40}));
  contents.table = std::make_shared<const HeadTable>(head_table(*contents.record));
  const CorpusFigure figure = corpus_figure(contents, view_.corpus);
  choice_.subject = ExportSubject::corpus;
  choice_.format = ExportFile::png;
  choice_.file = "heads.png";
  choice_.scale = 2;
  FigureSource source(*trace_);
  source.corpus = &figure;
  write_export(choice_, source, view_, CancelToken{}, {});
  const SessionFile session = read_session(heads);
  const auto picture = corpus_picture_of(session, heads);
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->fact, figure.fact);
  EXPECT_EQ(drawn_whole(corpus_rows(corpus_figure(contents, picture->view), *session.view)).pixels,
            read_png(heads).pixels);
}

TEST_F(ExportJob, APageIsAsLargeAsForecastAndReopensAsTheSameRequest) {
  view_.range = RangeKind::fit;  // of the window: a page has none
  choice_.subject = ExportSubject::heads;
  choice_.format = ExportFile::html;
  choice_.file = "heads.html";
  const ExportForecast forecast = forecast_of(choice_, *trace_, view_);
  EXPECT_EQ(forecast.problem, "");
  write(ExportSubject::heads, ExportFile::html, "heads.html");
  const auto size = static_cast<std::int64_t>(fs::file_size(folder_ / "heads.html"));
  EXPECT_NEAR(static_cast<double>(forecast.bytes), static_cast<double>(size), 0.2 * static_cast<double>(size));
  EXPECT_EQ(read_session((folder_ / "heads.html").string()).request, trace_->request);
  EXPECT_NE(text_of("heads.html").find("id=\"headscope-data\""), std::string::npos);
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find("--out heads.html"), std::string::npos);
  view_.quantity = StageId::capped_scores;  // that this request does not have
  EXPECT_NE(forecast_of(choice_, *trace_, view_).problem, "");
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
  for (const char* name : {"", ".", "..", "a/b.json", "\xED\xA0\x80.json"}) {
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

TEST_F(ExportJob, WeightsAreWrittenAsTheRequestShowsThem) {
  Request request = trace_->request;
  request.hide_tokens = HideTokens::first;
  request.renormalise = true;
  Engine engine;
  trace_ = engine.run(request, CancelToken{});
  view_.head = 1;
  write(ExportSubject::head, ExportFile::csv, "h.csv");
  const std::string text = text_of("h.csv");
  EXPECT_EQ(text.substr(0, text.find("\n\"uno")), "query\\key,dos,tres");
  EXPECT_NE(text.find("dos,1,0\n"), std::string::npos) << text;
  write(ExportSubject::heads, ExportFile::npy, "all.npy");
  EXPECT_EQ(read_npy((folder_ / "all.npy").string()).tensor.shape(), (Shape{1, 2, 3, 2}));
  choice_.subject = ExportSubject::head;
  choice_.format = ExportFile::npy;
  EXPECT_EQ(forecast_of(choice_, *trace_, view_).bytes, 3 * 2 * 4 + 128);
}

}  // namespace
}  // namespace headscope
