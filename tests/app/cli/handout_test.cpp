// Lessons for students, from the command line.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "app/session/lesson_stops.h"
#include "app/session/state_json.h"
#include "core/export/session_file.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

constexpr const char* kPhrase = "cat box ink fox jam cat box";

LessonStop stop_at(std::int64_t head, Cell cell, const std::string& words) {
  ViewState view;
  view.head = head;
  view.cell = cell;
  return stop_of(view, words);
}

Lesson four_stops() {
  ViewState generate, layers;
  generate.main_view = MainView::generate;
  generate.head = 2;
  layers.main_view = MainView::layers;
  layers.layers.layer = 0;
  layers.head = 3;
  return {stop_at(7, {5, 1}, "The second \"cat\" looks behind the first <b>cat</b> & box."),
          stop_at(0, {6, -1}, "القطة جلست. 注意力看哪里？"), stop_of(generate, "It goes on."), stop_of(layers, "")};
}

class HandoutCommand : public CommandTest {
 protected:
  HandoutCommand() { write_lesson(four_stops()); }

  void write_lesson(const Lesson& lesson, const std::string& model = "demo:induction") {
    Request request;
    request.model = model;
    request.phrase = kPhrase;
    ViewState view;
    view.lesson = lesson;
    folder_.write("lesson.json", session_json(request, view_spec_of(view, Theme::dark), window_json(view)));
  }
  std::string text_of(const std::string& name) const {
    std::ifstream in(std::filesystem::path(folder_.path()) / name, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  bool is_there(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::path(folder_.path()) / name);
  }
};

TEST_F(HandoutCommand, AClassGetsPages) {
  Result result = cli({"handout", "--session", "lesson.json", "--out", "lesson.pdf"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "written to lesson.pdf: 4 stops on 2 pages\n");
  EXPECT_EQ(text_of("lesson.pdf").substr(0, 5), "%PDF-");
  result = cli({"handout", "--session", "lesson.json", "--paper", "letter", "--stops-per-page", "1", "--title", "Cats",
                "--out", "lesson.pdf"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "written to lesson.pdf: 4 stops on 4 pages\n");
}

TEST_F(HandoutCommand, APageHoldsTheWordsAsTextAndTheNumbersOfTheRun) {
  const Result result = cli({"handout", "--session", "lesson.json", "--title", "<i>Cats</i>", "--out", "lesson.html"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "written to lesson.html: 4 stops on a page for a browser\n");
  const std::string page = text_of("lesson.html");
  EXPECT_NE(page.find("looks behind the first &lt;b&gt;cat&lt;/b&gt; &amp; box."), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_NE(page.find("<p dir=\"auto\">القطة جلست. 注意力看哪里？</p>"), std::string::npos);
  EXPECT_NE(page.find("In the window this stop shows Generate (the menu View, or Ctrl+Shift+E)."), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos) << "no network";
  EXPECT_EQ(page.find("https://"), std::string::npos);
  const std::string start = "id=\"headscope-data\">";
  const std::size_t begin = page.find(start) + start.size();
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_EQ(data["stops"].size(), 4u);
  EXPECT_EQ(data["sets"].size(), 1u) << "all stops are of weights";
  EXPECT_EQ(data["sets"][0]["layers"].size(), 2u);
  EXPECT_EQ(data["stops"][0], (nlohmann::json{{"set", 0}, {"layer", 1}, {"head", 7}, {"query", 5}, {"key", 1}}));
  EXPECT_EQ(data["stops"][3]["layer"], 0);
  // What is said of the picked row is what a table of the run holds.
  const Result run = cli({"run", "--session", "lesson.json", "--export", "weights", "--out", "run"});
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream rows(text_of("run/weights.b0.h7.csv"));
  std::string line, cell;
  for (int i = 0; i < 7; ++i) std::getline(rows, line);
  std::istringstream cells(line);
  for (int j = 0; j < 3; ++j) std::getline(cells, cell, ',');
  const std::string shown = std::to_string(std::stod(cell)).substr(0, 4);
  EXPECT_NE(page.find("“cat” (5) looks most at “box” (1), with a weight of " + shown), std::string::npos) << cell;
}

TEST_F(HandoutCommand, APageOpensAgainAsTheLesson) {
  ASSERT_EQ(cli({"handout", "--session", "lesson.json", "--out", "lesson.html"}).code, 0);
  const Result again = cli({"handout", "--session", "lesson.html", "--out", "again.html", "--title", "lesson"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(text_of("again.html"), text_of("lesson.html"));
}

TEST_F(HandoutCommand, WhatAStopLacksNamesItAndNothingIsWritten) {
  Lesson lesson = four_stops();
  lesson[1] = stop_at(8, {1, 1}, "");
  write_lesson(lesson);
  for (const char* out : {"x.pdf", "x.html"}) {
    expect_refused(cli({"handout", "--session", "lesson.json", "--out", out}), 3,
                   {"stop 2: head 8 asked for, the heads are 0 to 7"});
    EXPECT_FALSE(is_there(out));
  }
  lesson[1] = stop_at(1, {7, 0}, "");
  write_lesson(lesson);
  expect_refused(cli({"handout", "--session", "lesson.json", "--out", "x.pdf"}), 3,
                 {"stop 2: query 7 and key 0 are picked, the queries are 0 to 6"});
  write_lesson(four_stops(), "nowhere");
  expect_refused(cli({"handout", "--session", "lesson.json", "--out", "x.pdf"}), 3, {"nowhere"});
  EXPECT_FALSE(is_there("x.pdf"));
}

TEST_F(HandoutCommand, WhatCannotBeIsRefusedAndNothingIsWritten) {
  const auto refused = [&](std::vector<std::string> words, int code, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "handout");
    expect_refused(cli(words), code, parts);
  };
  refused({"--out", "x.pdf"}, 2, {"--session", "missing", "Ctrl+Shift+K"});
  refused({"--session", "lesson.json"}, 2, {"--out", "missing", "FILE.pdf or FILE.html"});
  refused({"--session", "lesson.json", "--out", "x.png"}, 2, {"--out", "x.png", ".pdf or .html"});
  refused({"--session", "lesson.json", "--out", "x.pdf", "--paper", "a5"}, 2, {"--paper", "letter"});
  refused({"--session", "lesson.json", "--out", "x.pdf", "--stops-per-page", "3"}, 2, {"--stops-per-page", "1, 2"});
  refused({"--session", "lesson.json", "--out", "x.html", "--paper", "a4"}, 2, {"--paper", "page of HTML"});
  refused({"--session", "none.json", "--out", "x.pdf"}, 3, {"none.json"});
  refused({"--session", "lesson.json", "--out", "nowhere/x.pdf"}, 3, {"nowhere"});
  refused({"--session", "lesson.json", "--out", "x.pdf", "--phrase", "a b"}, 2, {"--phrase"});
  write_lesson({});
  refused({"--session", "lesson.json", "--out", "x.pdf"}, 3, {"lesson.json", "no lesson", "Ctrl+Shift+K"});
  for (const char* name : {"x.pdf", "x.html", "x.png"}) EXPECT_FALSE(is_there(name)) << name;
}

TEST_F(HandoutCommand, TheSessionIsNeverReplacedByItsHandout) {
  ASSERT_EQ(cli({"handout", "--session", "lesson.json", "--out", "lesson.html"}).code, 0);
  const std::string before = text_of("lesson.html");
  expect_refused(cli({"handout", "--session", "lesson.html", "--out", "lesson.html"}), 2, {"lesson.html"});
  EXPECT_EQ(text_of("lesson.html"), before);
}

}  // namespace
}  // namespace headscope
