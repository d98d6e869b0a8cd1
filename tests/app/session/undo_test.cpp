// What one Ctrl+Z takes back.
#include "app/session/undo_list.h"
#include "tests/app/session/undo_fixture.h"

namespace headscope {
namespace {

class Undo : public UndoFixture {};

TEST_F(Undo, NothingIsThereToUndoAtFirst) {
  EXPECT_FALSE(session().can_undo());
  EXPECT_FALSE(session().can_redo());
  undo(10);
  redo(20);
  EXPECT_EQ(session().draft.phrase, "start");
}

TEST_F(Undo, TypingWithoutAPauseIsOneStep) {
  for (int k = 0; k < 20; ++k) s.type("start" + std::string(static_cast<std::size_t>(k + 1), 'x'), 100 + k * 600);
  undo(20000);
  EXPECT_EQ(session().draft.phrase, "start");
  EXPECT_FALSE(session().can_undo());
  redo(20100);
  EXPECT_EQ(session().draft.phrase, "start" + std::string(20, 'x'));
  EXPECT_FALSE(session().can_redo());
}

TEST_F(Undo, APauseBeginsANewStep) {
  s.type("one", 100);
  s.type("one two", 100 + 701);
  undo(1000);
  EXPECT_EQ(session().draft.phrase, "one");
  undo(1001);
  EXPECT_EQ(session().draft.phrase, "start");
}

TEST_F(Undo, LeavingAFieldBeginsANewStep) {
  s.type("one", 100);
  session().end_undo_step();
  s.type("one two", 150);
  undo(200);
  EXPECT_EQ(session().draft.phrase, "one");
}

TEST_F(Undo, DifferentOptionsAreDifferentSteps) {
  s.type("one", 100);
  session().draft.seed = 5;
  session().update(at(150));
  session().draft.dropout = 0.5;
  session().update(at(200));
  undo(210);
  EXPECT_EQ(session().draft.dropout, 0.0);
  EXPECT_EQ(session().draft.seed, 5u);
  undo(220);
  EXPECT_EQ(session().draft.seed, 0u);
  EXPECT_EQ(session().draft.phrase, "one");
  undo(230);
  EXPECT_EQ(session().draft.phrase, "start");
}

TEST_F(Undo, GoingBackToAFieldIsANewStep) {
  s.type("one", 100);
  session().draft.seed = 5;
  session().update(at(110));
  s.type("one two", 120);
  undo(130);
  EXPECT_EQ(session().draft.phrase, "one");
  EXPECT_EQ(session().draft.seed, 5u);
}

TEST_F(Undo, PicksFromAListNeverJoin) {
  session().draft.merge = Merge::direct;
  session().update(at(100));
  session().draft.merge = Merge::transpose;
  session().update(at(150));
  session().draft.merge = Merge::direct;
  session().update(at(200));
  undo(210);
  EXPECT_EQ(session().draft.merge, Merge::transpose);
  undo(220);
  EXPECT_EQ(session().draft.merge, Merge::direct);
  session().draft.softcap_order = SoftcapOrder::after_mask;
  session().update(at(230));
  session().draft.softcap_order = SoftcapOrder::before_mask;
  session().update(at(240));
  undo(250);
  EXPECT_EQ(session().draft.softcap_order, SoftcapOrder::after_mask);
}

TEST_F(Undo, MaskChipsAreStepsButTheirNumbersAreTyped) {
  const MaskTerm causal{MaskTerm::Kind::causal, 0, ""};
  session().draft.mask = {causal};
  session().update(at(100));
  session().draft.mask = {causal, {MaskTerm::Kind::padding, 1, ""}};
  session().update(at(150));
  session().draft.mask = {causal, {MaskTerm::Kind::padding, 12, ""}};
  session().update(at(200));
  session().draft.mask = {causal, {MaskTerm::Kind::padding, 123, ""}};
  session().update(at(250));
  undo(300);
  ASSERT_EQ(session().draft.mask.size(), 2u);
  EXPECT_EQ(session().draft.mask[1].size, 1);
  undo(310);
  EXPECT_EQ(session().draft.mask.size(), 1u);
  undo(320);
  EXPECT_TRUE(session().draft.mask.empty());
}

TEST_F(Undo, APathIsTypedLikeAPhrase) {
  for (const char* path : {"/", "/t", "/tm", "/tmp", "/tmp/x.npy"}) {
    session().draft.weights = path;
    session().update(at(100));
  }
  undo(200);
  EXPECT_EQ(session().draft.weights, "");
  EXPECT_FALSE(session().can_undo());
}

TEST_F(Undo, SeveralOptionsInOneFrameAreOneStep) {
  session().draft.heads = 7;
  session().draft.d_model = 511;
  session().update(at(100));
  undo(110);
  EXPECT_FALSE(session().draft.heads.has_value());
  EXPECT_FALSE(session().draft.d_model.has_value());
  EXPECT_FALSE(session().can_undo());
}

TEST_F(Undo, TypingAndDeletingItAgainIsNoStep) {
  s.type("start!", 100);
  s.type("start", 200);
  EXPECT_FALSE(session().can_undo());
}

TEST_F(Undo, ADraftThatCannotRunIsAStepToo) {
  session().draft.heads = 7;
  session().update(at(100));
  ASSERT_TRUE(session().problem().has_value());
  undo(110);
  EXPECT_FALSE(session().problem().has_value());
  EXPECT_FALSE(session().draft.heads.has_value());
}

TEST_F(Undo, AChangeAfterUndoForgetsRedo) {
  s.type("one", 100);
  undo(200);
  ASSERT_TRUE(session().can_redo());
  s.type("two", 1000);
  EXPECT_FALSE(session().can_redo());
}

TEST_F(Undo, TypingRightAfterUndoDoesNotJoinTheStepBefore) {
  s.type("one", 100);
  s.type("one two", 900);
  undo(910);
  ASSERT_EQ(session().draft.phrase, "one");
  s.type("one three", 920);
  undo(930);
  EXPECT_EQ(session().draft.phrase, "one");
}

TEST_F(Undo, AnEditOfTheSameFrameIsWhatIsUndone) {
  s.type("one", 100);
  session().draft.phrase = "one two";
  session().end_undo_step();
  session().draft.phrase = "one two three";
  session().undo();
  EXPECT_EQ(session().draft.phrase, "one two");
}

TEST_F(Undo, AViewChangeAloneIsNoStepButComesBackWithOne) {
  session().view.head = 3;
  session().update(at(50));
  EXPECT_FALSE(session().can_undo());
  s.type("one", 1000);
  session().view.head = 5;
  session().update(at(1100));
  undo(1200);
  EXPECT_EQ(session().view.head, 3);
  redo(1300);
  EXPECT_EQ(session().view.head, 5);
}

TEST_F(Undo, TheLayoutStaysAsItIs) {
  s.type("one", 1000);
  session().view.inspector_width = 333;
  session().view.concat_collapsed = true;
  session().update(at(1100));
  undo(1200);
  EXPECT_EQ(session().draft.phrase, "start");
  EXPECT_EQ(session().view.inspector_width, 333);
  EXPECT_TRUE(session().view.concat_collapsed);
}

TEST_F(Undo, UndoneDraftsAreComputedAgain) {
  s.executor->step();
  s.type("one", 1000);
  s.executor->step();
  undo(1100);
  s.executor->step();
  session().update(at(1200));
  EXPECT_EQ(s.shown(), "start");
  EXPECT_FALSE(session().stale());
}

TEST_F(Undo, OldStepsAreForgottenNotKeptForEver) {
  for (int k = 0; k < 1500; ++k) {
    session().draft.merge = k % 2 == 0 ? Merge::direct : Merge::transpose;
    session().update(at(1000 + k));
  }
  int steps = 0;
  while (session().can_undo()) {
    session().undo();
    ++steps;
  }
  EXPECT_EQ(steps, 1000);
}

std::size_t bytes_of_steps(const Timeline& timeline) {
  std::size_t bytes = 0;
  for (const auto* steps : {&timeline.before, &timeline.after}) {
    for (const UndoStep& step : *steps) bytes += step.moment->draft.phrase.size();
  }
  return bytes;
}

TEST_F(Undo, LongTextsCostTheFarthestSteps) {
  const std::string text(std::size_t{1} << 20, 'a');
  for (int k = 0; k < 100; ++k) s.type(text + std::to_string(k), 1000 * (k + 1));
  const Timeline timeline = session().timeline(kMostUndoSteps);
  EXPECT_EQ(timeline.before.size(), 31u);
  EXPECT_LE(bytes_of_steps(timeline), kMostUndoBytes);
  for (int k = 98; k >= 78; --k) undo(200000 - k);
  EXPECT_EQ(session().draft.phrase, text + "78");
  EXPECT_EQ(session().timeline(kMostUndoSteps).after.size(), 21u);
  session().draft.phrase = "short";
  session().update(at(300000));
  EXPECT_TRUE(session().timeline(kMostUndoSteps).after.empty());
  undo(300100);
  EXPECT_EQ(session().draft.phrase, text + "78");
}

TEST_F(Undo, TheNearestStepIsKeptHoweverLargeItIs) {
  s.type(std::string(kMostUndoBytes + 1, 'a'), 1000);
  s.type(std::string(kMostUndoBytes + 2, 'b'), 3000);
  s.type("short", 5000);
  EXPECT_EQ(session().timeline(kMostUndoSteps).before.size(), 1u);
  undo(6000);
  EXPECT_EQ(session().draft.phrase.front(), 'b');
  EXPECT_FALSE(session().can_undo());
  redo(7000);
  EXPECT_EQ(session().draft.phrase, "short");
}

TEST_F(Undo, AResumedTimelineKeepsToTheSameLimits) {
  Timeline timeline;
  for (std::size_t k = 0; k < kMostUndoSteps + 200; ++k) {
    const auto moment = std::make_shared<const Moment>(Moment{request_of("p" + std::to_string(k)), ViewState(), {}});
    timeline.before.push_back({moment, false});
    timeline.after.push_back({moment, false});
  }
  session().resume({request_of("now"), ViewState(), {}}, timeline);
  const Timeline kept = session().timeline(2 * kMostUndoSteps);
  EXPECT_EQ(kept.before.size(), kMostUndoSteps);
  EXPECT_EQ(kept.after.size(), kMostUndoSteps);
  EXPECT_EQ(kept.before.back().moment->draft.phrase, "p1199");
}

}  // namespace
}  // namespace headscope
