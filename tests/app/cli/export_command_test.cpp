// The command that the export dialog shows, run: its picture's recipe holds the view that it was made from.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "app/session/export/export_job.h"
#include "core/attention/engine.h"
#include "core/export/session_file.h"
#include "core/picture/idle_view_options.h"
#include "core/picture/view_option.h"
#include "core/picture/view_options.h"
#include "core/picture/view_reach.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

// The words of a line as a POSIX shell reads them.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  FILE* const pipe = popen(("printf '%s\\n' " + line).c_str(), "r");
  if (pipe == nullptr) return words;
  std::string word;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      word += static_cast<char>(c);
    } else {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  pclose(pipe);
  return words;
}

class ExportCommand : public CommandTest {
 protected:
  ExportCommand() {
    Request request;
    request.phrase = "it's one, two \"three\" four";
    request.d_model = 16;
    request.heads = 2;
    request.mask = {{MaskTerm::Kind::causal, 0, ""}};
    trace_ = Engine().run(request, CancelToken{});
    choice_.scale = 1;  // the command draws at 1x
    choice_.file = "it's drawn.png";
  }

  // What the command draws; `expected` is the view that it was made from.
  void expect_same_view(ExportSubject subject) {
    choice_.subject = subject;
    ViewSpec expected = fitted_view(*figure_of(choice_, *trace_, view_), *trace_);
    if (expected.view == ViewKind::concat) expected.stage = ViewSpec().stage;  // the view says it
    // What does nothing for the picture is not said: the command line would refuse it.
    if (const ViewOption& head = *find_view_option("head"); !acts_on(head, expected)) expected.head = ViewSpec().head;
    const std::string command = equivalent_command(choice_, *trace_, view_);
    SCOPED_TRACE(command);
    std::vector<std::string> words = words_of(command);
    ASSERT_FALSE(words.empty());
    EXPECT_EQ(words.front(), "headscope-cli");
    words.erase(words.begin());
    const Result result = cli(words);
    ASSERT_EQ(result.code, 0) << result.err;
    const SessionFile drawn = read_session(folder_ / choice_.file);
    EXPECT_TRUE(drawn.request == trace_->request);
    ASSERT_TRUE(drawn.view);
    EXPECT_TRUE(*drawn.view == expected);
  }

  std::shared_ptr<const Trace> trace_;
  ViewState view_;
  ExportChoice choice_;
};

TEST_F(ExportCommand, DrawsHeads) {
  expect_same_view(ExportSubject::heads);
  expect_same_view(ExportSubject::head);
  view_.head = 1;
  view_.quantity = StageId::masked_scores;
  view_.signed_map = ColorMap::coolwarm;
  view_.range = RangeKind::row;
  expect_same_view(ExportSubject::head);
}

TEST_F(ExportCommand, DrawsWithOtherColoursAndRange) {
  choice_.labels = false;
  choice_.theme = Theme::light;
  view_.weight_map = ColorMap::magma;
  view_.range_fixed = true;
  view_.range_low = 0.0001;
  view_.range_high = 0.30000000000000004;
  view_.log_scale = true;
  expect_same_view(ExportSubject::heads);
}

TEST_F(ExportCommand, DrawsAStage) {
  view_.stage = StageId::output;
  expect_same_view(ExportSubject::stage);
  view_.stage = StageId::query;
  view_.head = 1;
  expect_same_view(ExportSubject::stage);
}

TEST_F(ExportCommand, DrawsTheMergedHeads) {
  view_.stage = StageId::concat;
  expect_same_view(ExportSubject::concat);
  view_.concat_shows = ConcatShows::output;
  expect_same_view(ExportSubject::concat);
}

TEST_F(ExportCommand, DrawsLinesFromQueriesToKeys) {
  view_.heads_show = HeadsShow::arcs;
  expect_same_view(ExportSubject::arcs);
  view_.cell = Cell{2, 1};
  view_.arcs_chosen = true;
  view_.arcs_heads = {1};
  view_.arcs_hide_below = 0.2;
  view_.arcs_sentences = SentencePair::a_to_b;  // a text of one part has none
  expect_same_view(ExportSubject::arcs);
}

TEST_F(ExportCommand, DrawsTheFeaturesOfAQuery) {
  view_.heads_show = HeadsShow::neurons;
  view_.head = 1;
  view_.cell = Cell{2, 1};
  expect_same_view(ExportSubject::neurons);
}

TEST_F(ExportCommand, DrawsDerivatives) {
  view_.main_view = MainView::sensitivity;
  view_.stage = StageId::output;
  view_.head = 1;
  view_.cell = Cell{2, 5};
  expect_same_view(ExportSubject::sensitivity);
  view_.sensitivity_by = SensitivityBy::scores;
  expect_same_view(ExportSubject::sensitivity);
}

TEST_F(ExportCommand, DrawsAttentionOnTheText) {
  view_.main_view = MainView::text;
  expect_same_view(ExportSubject::text);
  view_.head = 1;
  view_.cell = Cell{2, 1};
  view_.text.heads = {1};
  view_.text.along = TextAlong::column;
  view_.text.combined = HeadsCombined::mean;
  expect_same_view(ExportSubject::text);
}

TEST_F(ExportCommand, DrawsWhereANumberComesFrom) {
  view_.head = 1;
  view_.cell = Cell{2, 1};
  expect_same_view(ExportSubject::explanation);
  view_.stage = StageId::output;
  expect_same_view(ExportSubject::explanation);
}

}  // namespace
}  // namespace headscope
