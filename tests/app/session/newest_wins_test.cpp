// Which request is computed, which is forgotten, and what is on screen meanwhile.
#include <limits>

#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

TEST(NewestWins, AnInlineSessionShowsTheDraftAfterOneUpdate) {
  Session session(make_inline_executor(), {}, [] {
    SessionOptions options;
    options.compute = [](const Request& r, Engine&, const CancelToken&, const EarlyTrace&) { return trace_of(r); };
    return options;
  }());
  session.draft.phrase = "hello";
  session.update(at(0));
  ASSERT_NE(session.trace(), nullptr);
  EXPECT_EQ(session.trace()->request.phrase, "hello");
  EXPECT_FALSE(session.stale());
  EXPECT_FALSE(session.computing());
  EXPECT_LT(session.seconds_until_due(at(0)), 0);
}

TEST(NewestWins, OnlyTheNewestOfSeveralWaitingRequestsIsComputed) {
  ManualSession s;
  s.type("a", 0);
  s.type("ab", 10);
  s.type("abc", 20);
  EXPECT_EQ(s.executor->waiting(), 1u);
  EXPECT_TRUE(s.session->computing());
  ASSERT_TRUE(s.executor->step());
  EXPECT_EQ(s.computed, std::vector<std::string>{"abc"});
  EXPECT_EQ(s.wakes, 1);
  EXPECT_EQ(s.shown(), "(nothing)") << "results are taken over by update() only";
  s.session->update(at(30));
  EXPECT_EQ(s.shown(), "abc");
  EXPECT_FALSE(s.session->computing());
}

TEST(NewestWins, AFinishedResultIsShownThoughANewerDraftWaits) {
  ManualSession s;
  s.type("a", 0);
  s.during = [&](const CancelToken&) {
    s.during = nullptr;
    s.type("ab", 5);
    s.type("abc", 10);
  };
  s.executor->step();
  s.session->update(at(20));
  EXPECT_EQ(s.shown(), "a");
  EXPECT_TRUE(s.session->stale());
  EXPECT_TRUE(s.session->computing());
  s.executor->step();
  s.session->update(at(30));
  EXPECT_EQ(s.shown(), "abc");
  EXPECT_FALSE(s.session->stale());
  EXPECT_EQ(s.computed, (std::vector<std::string>{"a", "abc"}));
  EXPECT_FALSE(s.executor->step());
}

TEST(NewestWins, AnIdleSessionSubmitsNothingAndWakesNobody) {
  ManualSession s;
  s.type("a", 0);
  s.executor->step();
  for (int ms = 10; ms < 5000; ms += 10) s.session->update(at(ms));
  EXPECT_EQ(s.executor->waiting(), 0u);
  EXPECT_EQ(s.wakes, 1);
  EXPECT_EQ(s.computed.size(), 1u);
  EXPECT_LT(s.session->seconds_until_due(at(5000)), 0);
}

TEST(NewestWins, AQuickRunIsNeverCancelled) {
  ManualSession s;
  s.type("a", 0);
  bool cancelled = true;
  s.during = [&](const CancelToken& token) {
    s.during = nullptr;
    s.type("ab", 50);
    s.session->update(at(149));
    cancelled = token.cancelled();
  };
  s.executor->step();
  EXPECT_FALSE(cancelled);
}

// The first run of a session shows a result; the second is slow and overtaken.
void show_first_result(ManualSession& s) {
  s.type("a", 0);
  s.executor->step();
  s.session->update(at(10));
  ASSERT_EQ(s.shown(), "a");
}

TEST(NewestWins, ASlowOvertakenRunIsCancelledWhenAResultCameLately) {
  ManualSession s;
  show_first_result(s);
  s.type("ab", 20);
  bool before = true, after = false;
  s.during = [&](const CancelToken& token) {
    s.during = nullptr;
    s.session->update(at(21));
    s.type("abc", 60);
    s.session->update(at(160));
    before = token.cancelled();
    s.session->update(at(180));
    after = token.cancelled();
  };
  s.executor->step();
  EXPECT_FALSE(before);
  EXPECT_TRUE(after);
  s.session->update(at(200));
  EXPECT_EQ(s.shown(), "a");
  s.executor->step();
  s.session->update(at(400));
  EXPECT_EQ(s.shown(), "abc");
}

TEST(NewestWins, ASlowRunGoesOnWhileNothingNewerWaits) {
  ManualSession s;
  show_first_result(s);
  s.type("ab", 20);
  bool cancelled = true;
  s.during = [&](const CancelToken& token) {
    for (int ms = 20; ms < 60000; ms += 100) s.session->update(at(ms));
    cancelled = token.cancelled();
  };
  s.executor->step();
  EXPECT_FALSE(cancelled);
}

TEST(NewestWins, AnOvertakenRunIsCancelledWhenTypingPauses) {
  ManualSession s;
  show_first_result(s);
  s.type("ab", 2000);
  bool while_typing = true, after_pause = false;
  s.during = [&](const CancelToken& token) {
    s.during = nullptr;
    for (int ms = 2001; ms < 3000; ms += 100) s.type("ab" + std::to_string(ms), ms);
    while_typing = token.cancelled();
    EXPECT_GE(s.session->seconds_until_due(at(2901)), 0.0) << "the window has to look again without an event";
    EXPECT_LE(s.session->seconds_until_due(at(2901)), 0.4);
    s.session->update(at(3400));
    after_pause = token.cancelled();
  };
  s.executor->step();
  EXPECT_FALSE(while_typing) << "no result for a second: the run on its way must be let finish";
  EXPECT_TRUE(after_pause);
}

TEST(NewestWins, ContinuousTypingOverSlowRunsStillShowsResults) {
  // Every run takes a second; a key comes every 100 ms for 20 s.
  ManualSession s;
  int ms = 0, shown = 0;
  std::string last;
  const auto key = [&] {
    ms += 100;
    s.type("w" + std::to_string(ms), ms);
    if (s.shown() != last) {
      last = s.shown();
      ++shown;
    }
  };
  s.during = [&](const CancelToken& token) {
    for (int k = 0; k < 10 && !token.cancelled(); ++k) key();
  };
  key();
  while (ms < 20000) s.executor->step();
  EXPECT_GE(shown, 12);
}

TEST(NewestWins, ComputingForCountsFromTheLastResult) {
  ManualSession s;
  s.type("a", 0);
  EXPECT_EQ(s.session->computing_for(at(120)), milliseconds(120));
  s.during = [&](const CancelToken&) {
    s.during = nullptr;
    s.type("ab", 500);
  };
  s.executor->step();
  s.session->update(at(600));
  EXPECT_EQ(s.session->computing_for(at(650)), milliseconds(50));
  s.executor->step();
  s.session->update(at(700));
  EXPECT_EQ(s.session->computing_for(at(900)), milliseconds(0));
}

TEST(NewestWins, GoingBackToWhatIsShownComputesNothing) {
  ManualSession s;
  show_first_result(s);
  s.session->draft.heads = 7;  // does not divide 512
  s.session->update(at(20));
  ASSERT_TRUE(s.session->problem().has_value());
  s.session->draft.heads.reset();
  s.session->update(at(30));
  EXPECT_FALSE(s.session->problem().has_value());
  EXPECT_EQ(s.executor->waiting(), 0u);
  EXPECT_FALSE(s.session->stale());
}

TEST(NewestWins, RecomputeRunsTheSameDraftAgain) {
  ManualSession s;
  show_first_result(s);
  const auto first = s.session->trace();
  s.session->recompute();
  s.session->update(at(20));
  EXPECT_TRUE(s.session->stale());
  s.executor->step();
  s.session->update(at(30));
  EXPECT_FALSE(s.session->stale());
  EXPECT_NE(s.session->trace(), first);
  EXPECT_EQ(s.computed.size(), 2u);
}

TEST(NewestWins, ADraftThatHoldsNanIsHandledOnce) {
  ManualSession s;
  show_first_result(s);
  s.session->draft.scale = std::numeric_limits<double>::quiet_NaN();
  for (int ms = 20; ms < 200; ms += 10) s.session->update(at(ms));
  EXPECT_LE(s.executor->waiting(), 1u);
  s.session->undo();
  s.session->update(at(300));
  EXPECT_FALSE(s.session->draft.scale.has_value()) << "one step, not one a frame";
}

TEST(NewestWins, DestroyingASessionDropsWhatWaits) {
  ManualSession s;
  s.type("a", 0);
  s.session.reset();
  EXPECT_TRUE(s.computed.empty());
}

}  // namespace
}  // namespace headscope
