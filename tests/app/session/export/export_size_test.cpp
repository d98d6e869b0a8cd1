// What the dialog says of a file's size before it is written.
#include <cmath>

#include "tests/app/session/export/export_fixture.h"

namespace headscope {
namespace {

TEST_F(ExportJob, TheSizeThatIsSaidIsWithinAFifthOfTheFiles) {
  Request request;
  request.phrase = "the quick brown fox jumps over the lazy dog and over the fence behind the house";
  request.d_model = 32;
  request.heads = 4;
  Engine engine;
  trace_ = engine.run(request, CancelToken{});
  for (const ExportSubject subject : {ExportSubject::head, ExportSubject::heads, ExportSubject::arcs}) {
    for (const ExportFile format : {ExportFile::png, ExportFile::svg, ExportFile::pdf, ExportFile::csv}) {
      for (const double scale : {1.0, 4.0}) {
        const bool table = format == ExportFile::csv;
        if (table && subject != ExportSubject::head) continue;
        SCOPED_TRACE(std::string(subject_name(subject)) + " " + ending_of(format) + " " + std::to_string(scale));
        choice_.subject = subject;
        choice_.format = format;
        choice_.scale = scale;
        choice_.file = "x";
        const ExportForecast forecast = forecast_of(choice_, *trace_, view_);
        ASSERT_EQ(forecast.problem, "");
        write(subject, format, "x");
        const auto bytes = static_cast<double>(std::filesystem::file_size(folder_ / "x"));
        EXPECT_NEAR(static_cast<double>(forecast.bytes) / bytes, 1, 0.2) << bytes;
      }
    }
  }
}

TEST_F(ExportJob, AFigureForAPaperIsAsWideAsAskedForAndItsCommandSaysSo) {
  choice_.subject = ExportSubject::heads;
  choice_.format = ExportFile::pdf;
  choice_.file = "figure.pdf";
  choice_.heads = "1";
  choice_.paper = paper_of_words({"width=85mm", "dpi=600", "font-size=7", "background=white", "caption=off",
                                  "key-labels=outer", "no=option", "dpi=many"});
  EXPECT_EQ(forecast_of(choice_, *trace_, view_).width, 2008);
  const std::string command = equivalent_command(choice_, *trace_, view_);
  for (const char* part : {" --heads-shown 1", " --width 85mm", " --dpi 600", " --font-size 7", " --background white",
                           " --caption off", " --key-labels outer", " --out figure.pdf"}) {
    EXPECT_NE(command.find(part), std::string::npos) << part << " in " << command;
  }
  EXPECT_EQ(command.find("recipe-line"), std::string::npos);
  write(ExportSubject::heads, ExportFile::pdf, "figure.pdf");
  EXPECT_EQ(text_of("figure.pdf").substr(0, 5), "%PDF-");
  EXPECT_EQ(paper_of_words(words_of_paper(choice_.paper)), choice_.paper);
  EXPECT_TRUE(words_of_paper(PaperSpec()).empty());
}

TEST_F(ExportJob, NamesCarryTheHeadsThatAreDrawn) {
  choice_.subject = ExportSubject::heads;
  choice_.heads = "0,1";
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "uno-dos-tres.weights.heads0-1.png");
  choice_.format = ExportFile::csv;
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "uno-dos-tres.weights.heads") << "tables have all";
}

TEST_F(ExportJob, ATableForSpreadsheetsHasNoFormulas) {
  Request request;
  request.phrase = "=1+2 -x @home +3 plain 'quoted";
  request.d_model = 16;
  request.heads = 2;
  Engine engine;
  trace_ = engine.run(request, CancelToken{});
  choice_.csv_safe = true;
  write(ExportSubject::head, ExportFile::csv, "safe.csv");
  const std::string text = text_of("safe.csv");
  EXPECT_EQ(text.substr(0, text.find('\n')), "query\\key,'=1+2,'-x,'@home,'+3,plain,'quoted");
  write(ExportSubject::heads, ExportFile::csv, "tables");
  EXPECT_NE(text_of("tables/manifest.json").find("\"csv\": \"safe\""), std::string::npos);
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find(" --csv safe"), std::string::npos);
  choice_.csv_long = true;
  write(ExportSubject::heads, ExportFile::csv, "long");
  EXPECT_NE(text_of("long/weights.csv").find(",'=1+2,'-x,"), std::string::npos);
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find(" --csv long,safe"), std::string::npos);
}

}  // namespace
}  // namespace headscope
