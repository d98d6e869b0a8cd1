// What cannot run: said beside the control, while the last good result stays.
#include <new>

#include "app/session/background/work/compute_queue.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

TEST(Problems, ADraftThatCannotRunIsNotSubmittedAndTheLastTraceStays) {
  ManualSession s;
  s.type("a b", 0);
  s.executor->step();
  s.session->update(at(10));
  const auto good = s.session->trace();
  s.session->draft.heads = 7;
  s.session->update(at(20));
  ASSERT_TRUE(s.session->problem().has_value());
  EXPECT_EQ(s.session->problem()->option, "heads");
  EXPECT_EQ(s.executor->waiting(), 0u);
  EXPECT_EQ(s.session->trace(), good);
  EXPECT_TRUE(s.session->stale());
  EXPECT_FALSE(s.session->computing());
}

TEST(Problems, ARunThatWasOnItsWayIsStillShownUnderAProblem) {
  ManualSession s;
  s.type("a b", 0);
  s.session->draft.heads = 7;
  s.session->update(at(10));
  s.executor->step();
  s.session->update(at(20));
  EXPECT_EQ(s.shown(), "a b");
  ASSERT_TRUE(s.session->problem().has_value());
  EXPECT_EQ(s.session->problem()->option, "heads");
}

TEST(Problems, WhatTheWorkerFindsIsShownForItsDraftOnly) {
  ManualSession s;
  s.compute = [](const Request& r, Engine&, const CancelToken&, const EarlyTrace&) -> std::shared_ptr<const Trace> {
    if (r.phrase == "bad") throw ProblemError(Problem{"mask", "padding:9 hides all 3 keys", "", {}});
    return trace_of(r);
  };
  s.type("good", 0);
  s.executor->step();
  s.type("bad", 10);
  s.executor->step();
  s.session->update(at(20));
  ASSERT_TRUE(s.session->problem().has_value());
  EXPECT_EQ(s.session->problem()->option, "mask");
  EXPECT_EQ(s.shown(), "good");
  s.type("good again", 30);
  EXPECT_FALSE(s.session->problem().has_value()) << "a changed draft may be right";
  s.executor->step();
  s.session->update(at(40));
  EXPECT_EQ(s.shown(), "good again");
}

TEST(Problems, AnOldDraftsProblemIsNoNewsAboutTheNewOne) {
  ManualSession s;
  s.compute = [](const Request& r, Engine&, const CancelToken&, const EarlyTrace&) -> std::shared_ptr<const Trace> {
    if (r.phrase == "bad") throw ProblemError(Problem{"mask", "no", "", {}});
    return trace_of(r);
  };
  s.type("bad", 0);
  s.during = [&](const CancelToken&) {
    s.during = nullptr;
    s.type("good", 5);
  };
  s.executor->step();
  s.session->update(at(10));
  EXPECT_FALSE(s.session->problem().has_value());
  s.executor->step();
  s.session->update(at(20));
  EXPECT_EQ(s.shown(), "good");
}

TEST(Problems, AUsageErrorBecomesAProblemBesideItsControl) {
  ManualSession s;
  s.compute = [](const Request&, Engine&, const CancelToken&, const EarlyTrace&) -> std::shared_ptr<const Trace> {
    throw UsageError("mask", "m.npy has the shape [3, 4]", "[5, 5]", "Give a mask that broadcasts");
  };
  s.type("a", 0);
  s.executor->step();
  s.session->update(at(10));
  ASSERT_TRUE(s.session->problem().has_value());
  EXPECT_EQ(s.session->problem()->option, "mask");
  EXPECT_EQ(s.session->problem()->title, "m.npy has the shape [3, 4]; expected [5, 5]");
  EXPECT_EQ(s.session->problem()->detail, "Give a mask that broadcasts");
}

TEST(Problems, ASentenceWithoutAnOptionIsStillAProblem) {
  EXPECT_EQ(problem_of(UsageError("two shapes disagree")), (Problem{"", "two shapes disagree", "", {}}));
  EXPECT_EQ(problem_of(UsageError("a", "b")), (Problem{"a", "b", "", {}}));
  // What stands in a file's name is no end of a sentence.
  EXPECT_EQ(problem_of(UsageError("mask", "my. mask: 1.npy is 2-D")).title, "my. mask: 1.npy is 2-D");
}

TEST(Problems, AMissingFileIsAFailureAndLeavesWithTheNextDraft) {
  ManualSession s;
  s.compute = [](const Request& r, Engine&, const CancelToken&, const EarlyTrace&) -> std::shared_ptr<const Trace> {
    if (r.phrase == "bad") throw Error("x.npy: No such file or directory");
    return trace_of(r);
  };
  s.type("bad", 0);
  s.executor->step();
  s.session->update(at(10));
  EXPECT_EQ(s.session->failure(), "x.npy: No such file or directory");
  EXPECT_FALSE(s.session->problem().has_value());
  EXPECT_FALSE(s.session->computing());
  s.type("good", 20);
  EXPECT_EQ(s.session->failure(), "");
}

TEST(Problems, NothingThatTheEngineThrowsEndsTheWorker) {
  ManualSession s;
  int call = 0;
  s.compute = [&](const Request& r, Engine&, const CancelToken&, const EarlyTrace&) -> std::shared_ptr<const Trace> {
    switch (call++) {
      case 0:
        throw std::bad_alloc();
      case 1:
        throw Bug("shapes [1] and [2]");
      case 2:
        return nullptr;
      default:
        return trace_of(r);
    }
  };
  s.type("a", 0);
  s.executor->step();
  s.session->update(at(1));
  EXPECT_NE(s.session->failure().find("memory"), std::string::npos);
  s.type("ab", 10);
  s.executor->step();
  s.session->update(at(11));
  EXPECT_NE(s.session->failure().find("shapes [1] and [2]"), std::string::npos);
  s.type("abc", 20);
  s.executor->step();
  s.session->update(at(21));
  EXPECT_NE(s.session->failure(), "");
  s.type("abcd", 30);
  s.executor->step();
  s.session->update(at(31));
  EXPECT_EQ(s.session->failure(), "");
  EXPECT_EQ(s.shown(), "abcd");
}

}  // namespace
}  // namespace headscope
