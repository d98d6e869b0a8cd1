// Which words a demo opens with, and whose stay.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "app/session/documents.h"
#include "core/attention/engine.h"
#include "core/export/session_file.h"
#include "core/request/problem.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

TEST(DemoWords, ADemoBringsItsOwnWordsAndItsHeadWhereNobodyTypedAny) {
  const Document first = first_document();
  EXPECT_EQ(first.request.model, "demo:stories");
  ViewState elsewhere;
  elsewhere.stage = StageId::concat;
  elsewhere.cell = Cell{0, 60};
  const Document second = open_document("demo:induction", first.request, elsewhere, first.given_phrase);
  EXPECT_EQ(second.view.stage, StageId::weights);
  EXPECT_EQ(second.request.phrase, "cat box ink fox jam cat box ink fox jam");
  EXPECT_EQ(second.given_phrase, second.request.phrase);
  const auto trace = Engine().run(second.request, {});
  for (const std::string& token : trace->query_labels()) EXPECT_NE(token, "[UNK]");
  const Cell cell = second.view.cell.value_or(Cell{});
  EXPECT_GT(trace->tensor(StageId::weights).at({0, second.view.head, cell.row, cell.column}), 0.9f);
  const Document back = open_document("demo:stories", second.request, second.view, second.given_phrase);
  EXPECT_EQ(back.request, first.request);
  EXPECT_EQ(back.view.cell, first.view.cell);
}

// A first picture that tells something: words that are whole, and a head that follows the last of them.
TEST(DemoWords, TheFirstWordsAreWholeAndTheFirstHeadFollowsTheLastOne) {
  Document first = first_document();
  const auto shown = Engine().run(first.request, {});
  EXPECT_EQ(shown->inputs->tokens.size(), 17U) << "a token a word, and a full stop";
  const Cell cell = first.view.cell.value_or(Cell{});
  const auto weight = [&](std::int64_t key) {
    const auto trace = Engine().run(first.request, {});
    return trace->tensor(StageId::weights).at({0, first.view.head, cell.row, key});
  };
  EXPECT_NEAR(weight(cell.column), 0.92f, 0.02f) << "what was green before";
  EXPECT_NEAR(weight(5), 0.03f, 0.02f) << "what was red";
  first.request.phrase.replace(first.request.phrase.rfind("green"), 5, "red");
  EXPECT_GT(weight(5), 0.9f) << "as the guide says";
}

TEST(DemoWords, WordsThatSomebodyTypedStayWhenWeightsChange) {
  const Document first = first_document();
  Request typed = first.request;
  typed.phrase = "what I typed";
  ViewState view = first.view;
  view.head = 2;
  for (const char* demo : {"demo:induction", "demo:pronouns"}) {
    const Document document = open_document(demo, typed, view, first.given_phrase);
    EXPECT_EQ(document.request.phrase, "what I typed");
    EXPECT_EQ(document.view.head, 2);
  }
  const Document seeded = seeded_document(typed, view, first.given_phrase);
  EXPECT_EQ(seeded.request.phrase, "what I typed");
  EXPECT_EQ(open_document("demo:induction", seeded.request, view, seeded.given_phrase).request.phrase, "what I typed");
}

TEST(DemoWords, TheWordsOfAFileAreSomebodys) {
  const Document first = first_document();
  const TemporaryFolder folder;
  const std::string path = folder.write("s.json", session_json(first.request, std::nullopt));
  const Document file = open_document(path, first.request, first.view, first.given_phrase);
  EXPECT_EQ(open_document("demo:induction", file.request, file.view, file.given_phrase).request.phrase,
            first.request.phrase);
}

TEST(DemoWords, SeededWeightsHaveWordsWhateverWasOpen) {
  Request ids;
  ids.token_ids = {1, 2};
  EXPECT_FALSE(find_problem(seeded_document(ids, ViewState(), "").request).has_value());
}

}  // namespace
}  // namespace headscope
