// Tables that only the window writes, and what stands in their way.
#include <vector>

#include "core/explain/logit_lens.h"
#include "core/heads/query_key_scatter.h"
#include "tests/app/session/export/export_fixture.h"

namespace headscope {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string last_fields(const std::string& line, std::size_t count) {
  std::size_t at = line.size();
  for (std::size_t k = 0; k < count; ++k) at = line.rfind(',', at - 1);
  return line.substr(at + 1);
}

TEST_F(ExportJob, PointsAreALineEach) {
  view_.head = 1;
  write(ExportSubject::scatter, ExportFile::csv, "points.csv");
  const std::vector<std::string> lines = lines_of(text_of("points.csv"));
  const QueryKeyScatter scatter = query_key_scatter(*trace_, 0, 1, {});
  ASSERT_EQ(lines.size(), 1 + scatter.queries.size() + scatter.keys.size());
  EXPECT_EQ(lines[0], "kind,position,token,x,y");
  EXPECT_EQ(lines[1].rfind("query,0,\"uno,\",", 0), 0U) << lines[1] << ": a comma is quoted";
  EXPECT_EQ(lines[2].rfind("query,1,dos,", 0), 0U) << lines[2];
  EXPECT_EQ(lines[4].rfind("key,0,\"uno,\",", 0), 0U) << lines[4];
  for (std::size_t i = 0; i < scatter.keys.size(); ++i) {
    const std::string numbers = last_fields(lines[1 + scatter.queries.size() + i], 2);
    EXPECT_EQ(std::stod(numbers), scatter.keys[i].x) << "reads back to the same double";
    EXPECT_EQ(std::stod(numbers.substr(numbers.find(',') + 1)), scatter.keys[i].y);
  }
  EXPECT_EQ(equivalent_command(choice_, *trace_, view_), "") << "no command writes it";
}

TEST_F(ExportJob, ALensIsALineARowAndPosition) {
  Request request;
  request.phrase = "cat box ink fox jam cat";
  request.model = "demo:induction";
  EngineOptions options;
  options.whole_model = true;
  trace_ = Engine(options).run(request, CancelToken{});
  for (const LensOf of : {LensOf::layers, LensOf::heads}) {
    view_.lens.of = of;
    write(ExportSubject::lens, ExportFile::csv, "lens.csv");
    const std::vector<std::string> lines = lines_of(text_of("lens.csv"));
    const LogitLens lens = logit_lens("lens", *trace_, {of, 0, 1}, {});
    ASSERT_EQ(lines.size(), 1 + lens.rows.size() * 6);
    EXPECT_EQ(lines[0], "layer,head,position,token,id,predicted,logit,probability");
    EXPECT_EQ(std::stod(last_fields(lines.back(), 1)), lens.rows.back().positions[5].top[0].probability);
    EXPECT_EQ(lines[6].rfind(of == LensOf::layers ? "-1,,5,cat," : "1,0,5,cat,", 0), 0U) << lines[6];
  }
}

TEST_F(ExportJob, OneLayerHasNoSuchAnswersAndSaysSo) {
  choice_.format = ExportFile::csv;
  choice_.file = "table.csv";
  for (const ExportSubject subject :
       {ExportSubject::lens, ExportSubject::attribution, ExportSubject::score, ExportSubject::composition}) {
    choice_.subject = subject;
    EXPECT_EQ(forecast_of(choice_, *trace_, view_).problem,
              "This needs a whole model, all layers of which were computed.");
    EXPECT_THROW(write_export(choice_, *trace_, view_, CancelToken{}, {}), UsageError);
  }
  choice_.subject = ExportSubject::sweep;
  EXPECT_EQ(forecast_of(choice_, *trace_, view_).problem, "The sweep is not computed yet.");
  choice_.subject = ExportSubject::scatter;
  const ExportForecast forecast = forecast_of(choice_, *trace_, view_);
  EXPECT_EQ(forecast.problem, "");
  EXPECT_EQ(forecast.files, 1);
  EXPECT_GT(forecast.bytes, 100);
}

TEST_F(ExportJob, TokensThatLookLikeFormulasAreMadeSafe) {
  Request request;
  request.phrase = "=sum two";
  request.d_model = 16;
  request.heads = 2;
  trace_ = Engine().run(request, CancelToken{});
  choice_.csv_safe = true;
  write(ExportSubject::scatter, ExportFile::csv, "points.csv");
  EXPECT_NE(text_of("points.csv").find("query,0,'="), std::string::npos) << text_of("points.csv");
}

}  // namespace
}  // namespace headscope
