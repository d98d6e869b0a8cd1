// What Ctrl+Z takes back of documents that were opened, and what of the timeline is kept.
#include "app/session/undo_list.h"

#include <memory>
#include <string>

#include "tests/app/session/undo_fixture.h"

namespace headscope {
namespace {

class UndoOfDocuments : public UndoFixture {};

TEST_F(UndoOfDocuments, OpeningADocumentIsOneStepThatBringsBackViewAndName) {
  session().document.title = "mine.json";
  session().view.head = 3;
  session().view.layers.norms = true;
  session().view.main_view = MainView::layers;
  s.type("one", 100);
  session().open(request_of("opened"), ViewState(), {"theirs.json", "opened"});
  session().update(at(200));
  s.type("opened more", 1000);
  undo(1100);
  EXPECT_EQ(session().draft.phrase, "opened");
  EXPECT_EQ(session().document.title, "theirs.json");
  undo(1200);
  EXPECT_EQ(session().draft.phrase, "one");
  EXPECT_EQ(session().document, (DocumentIdentity{"mine.json", ""}));
  EXPECT_EQ(session().view.head, 3);
  EXPECT_EQ(session().view.main_view, MainView::layers);
  EXPECT_TRUE(session().view.layers.norms);
  undo(1300);
  EXPECT_EQ(session().draft.phrase, "start");
  redo(1400);
  redo(1500);
  EXPECT_EQ(session().document, (DocumentIdentity{"theirs.json", "opened"}));
  EXPECT_FALSE(session().view.layers.norms);
  redo(1600);
  EXPECT_EQ(session().draft.phrase, "opened more");
}

TEST_F(UndoOfDocuments, OpeningOtherViewsOfTheSameRequestIsAStepAndTheSameIsNone) {
  session().open(session().draft, session().view, session().document);
  EXPECT_FALSE(session().can_undo());
  ViewState other = session().view;
  other.head = 5;
  session().open(session().draft, other, session().document);
  ASSERT_TRUE(session().can_undo());
  undo(200);
  EXPECT_EQ(session().view.head, 0);
}

TEST_F(UndoOfDocuments, AnEditOfTheFrameThatOpensIsAStepOfItsOwn) {
  session().draft.phrase = "typed now";
  session().open(request_of("opened"), ViewState());
  undo(100);
  EXPECT_EQ(session().draft.phrase, "typed now");
  undo(200);
  EXPECT_EQ(session().draft.phrase, "start");
}

TEST_F(UndoOfDocuments, WhatADocumentIsAboutMayComeLaterWithinItsStep) {
  session().open(request_of("a"), ViewState(), {"difference.png", ""});
  session().update(at(100));
  session().amend(request_of("b"));
  session().update(at(200));
  EXPECT_EQ(session().draft.phrase, "b");
  undo(300);
  EXPECT_EQ(session().draft.phrase, "start");
  EXPECT_FALSE(session().can_undo());
}

TEST_F(UndoOfDocuments, AResumedTimelineIsUndoneLikeOnesOwn) {
  const auto moment = [](const char* phrase) {
    return std::make_shared<const Moment>(Moment{request_of(phrase), ViewState(), {phrase, ""}});
  };
  ManualSession later;
  later.session->resume({request_of("now"), ViewState(), {"now", ""}},
                        {{{moment("oldest"), true}, {moment("older"), false}}, {{moment("next"), false}}});
  later.session->update(at(0));
  later.session->undo();
  EXPECT_EQ(later.session->draft.phrase, "older");
  later.session->undo();
  EXPECT_EQ(later.session->document.title, "oldest");
  EXPECT_FALSE(later.session->can_undo());
  for (int k = 0; k < 3; ++k) later.session->redo();
  EXPECT_EQ(later.session->draft.phrase, "next");
  EXPECT_FALSE(later.session->can_redo());
}

TEST_F(UndoOfDocuments, TheTimelineThatIsKeptHasTheNearestSteps) {
  for (int k = 0; k < 70; ++k) s.type("step " + std::to_string(k), 1000 * (k + 1));
  for (int k = 0; k < 3; ++k) undo(100'000 + k);
  const Timeline kept = session().timeline(50);
  ASSERT_EQ(kept.before.size(), 50u);
  ASSERT_EQ(kept.after.size(), 3u);
  EXPECT_EQ(kept.before.back().moment->draft.phrase, "step 65");
  EXPECT_EQ(kept.before.front().moment->draft.phrase, "step 16");
  EXPECT_EQ(kept.after.back().moment->draft.phrase, "step 67");
}

}  // namespace
}  // namespace headscope
