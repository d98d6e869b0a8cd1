// What a run shows before its end, and what becomes of it.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> preview_of(const Request& request) {
  auto trace = std::make_shared<Trace>(*trace_of(request));
  trace->preview = true;
  return trace;
}

// Shows a preview, calls `after`, and ends with the exact trace.
Compute with_preview(std::function<void()> after) {
  return [after = std::move(after)](const Request& r, Engine&, const CancelToken& token, const EarlyTrace& early) {
    early(preview_of(r));
    if (after) after();
    token.check();
    return trace_of(r);
  };
}

TEST(EarlyTrace, IsShownWhileTheRunGoesOnAndThenReplaced) {
  ManualSession s;
  int seen = 0;
  s.compute = with_preview([&] {
    s.session->update(at(10));
    ++seen;
    EXPECT_EQ(s.wakes, 1);
    EXPECT_EQ(s.shown(), "a");
    EXPECT_TRUE(s.session->trace()->preview);
    EXPECT_TRUE(s.session->computing());
    EXPECT_FALSE(s.session->stale());
  });
  s.type("a", 0);
  s.executor->step();
  EXPECT_EQ(seen, 1);
  s.session->update(at(100));
  EXPECT_EQ(s.wakes, 2);
  EXPECT_EQ(s.shown(), "a");
  EXPECT_FALSE(s.session->trace()->preview);
  EXPECT_FALSE(s.session->computing());
  EXPECT_EQ(s.executor->waiting(), 0u);
}

TEST(EarlyTrace, ThatNobodyTookIsNotShownAfterTheResult) {
  ManualSession s;
  s.compute = with_preview({});
  s.type("a", 0);
  s.executor->step();
  s.session->update(at(10));
  ASSERT_NE(s.session->trace(), nullptr);
  EXPECT_FALSE(s.session->trace()->preview);
  s.session->update(at(20));
  EXPECT_FALSE(s.session->trace()->preview);
}

TEST(EarlyTrace, KeptBeyondItsRunShowsNothing) {
  ManualSession s;
  EarlyTrace kept;
  Request old;
  s.compute = [&](const Request& r, Engine&, const CancelToken&, const EarlyTrace& early) {
    if (r.phrase == "a") kept = early, old = r;
    return trace_of(r);
  };
  s.type("a", 0);
  s.executor->step();
  s.type("b", 10);
  s.during = [&](const CancelToken&) { kept(preview_of(old)); };
  s.executor->step();
  s.session->update(at(20));
  EXPECT_EQ(s.shown(), "b");
  kept(preview_of(old));
  s.session->update(at(30));
  EXPECT_EQ(s.shown(), "b");
  EXPECT_FALSE(s.session->trace()->preview);
}

TEST(EarlyTrace, APreviewedRunGivesWayToANewerDraftAtOnce) {
  ManualSession s;
  bool cancelled = false;
  s.compute = [&](const Request& r, Engine&, const CancelToken& token, const EarlyTrace& early) {
    early(preview_of(r));
    s.session->update(at(5));
    if (r.phrase == "a") {
      s.type("ab", 10);
      cancelled = token.cancelled();
    }
    token.check();
    return trace_of(r);
  };
  s.type("a", 0);
  s.executor->step();
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(s.shown(), "a") << "the preview stays until there is something newer";
  EXPECT_TRUE(s.session->stale());
  s.executor->step();
  s.session->update(at(20));
  EXPECT_EQ(s.shown(), "ab");
  EXPECT_FALSE(s.session->trace()->preview);
}

TEST(EarlyTrace, ThatIsNoPreviewDoesNotEndItsRun) {
  ManualSession s;
  bool cancelled = true;
  s.compute = [&](const Request& r, Engine&, const CancelToken& token, const EarlyTrace& early) {
    early(trace_of(r));
    if (r.phrase == "a") {
      s.type("ab", 10);
      s.session->update(at(20));
      cancelled = token.cancelled();
    }
    return trace_of(r);
  };
  s.type("a", 0);
  s.executor->step();
  EXPECT_FALSE(cancelled);
}

// The exact numbers of "b" never came; going back to it must ask for them.
TEST(EarlyTrace, IsNotTakenForTheResultWhenTheDraftReturns) {
  ManualSession s;
  bool fails = true;
  s.compute = [&](const Request& r, Engine&, const CancelToken&, const EarlyTrace& early) {
    early(preview_of(r));
    if (fails) throw Error("x.npy: No such file or directory");
    return trace_of(r);
  };
  s.type("b", 0);
  s.executor->step();
  s.session->update(at(10));
  EXPECT_EQ(s.shown(), "b");
  EXPECT_TRUE(s.session->trace()->preview);
  EXPECT_EQ(s.session->failure(), "x.npy: No such file or directory");
  EXPECT_FALSE(s.session->computing());
  fails = false;
  s.session->draft.heads = 3;  // cannot run: nothing is submitted
  s.session->update(at(20));
  ASSERT_TRUE(s.session->problem());
  s.session->draft.heads.reset();
  s.session->update(at(30));
  ASSERT_TRUE(s.executor->step());
  s.session->update(at(40));
  EXPECT_FALSE(s.session->trace()->preview);
  EXPECT_EQ(s.session->failure(), "");
}

TEST(EarlyTrace, UndoLeavesAPreviewLikeAnyOtherTrace) {
  ManualSession s;
  s.compute = with_preview({});
  s.type("a", 0);
  s.executor->step();
  s.session->update(at(10));
  bool undone = false;
  s.compute = [&](const Request& r, Engine&, const CancelToken& token, const EarlyTrace& early) {
    early(preview_of(r));
    if (!undone) {
      undone = true;
      s.session->update(at(2010));
      EXPECT_EQ(s.shown(), "ab");
      s.session->undo();
      s.session->update(at(2020));
    }
    token.check();
    return trace_of(r);
  };
  s.type("ab", 2000);
  s.executor->step();
  EXPECT_EQ(s.session->draft.phrase, "a");
  EXPECT_TRUE(s.session->stale());
  s.executor->step();
  s.session->update(at(2030));
  EXPECT_EQ(s.shown(), "a");
  EXPECT_FALSE(s.session->stale());
  EXPECT_FALSE(s.session->trace()->preview);
}

// The whole road of a word typed into the middle of a phrase, with the real engine.
TEST(EarlyTrace, AWordTypedInTheMiddleIsPreviewedAndThenExact) {
  auto manual = std::make_unique<ManualExecutor>();
  ManualExecutor& executor = *manual;
  SessionOptions options;
  options.engine.preview_products = 0;
  std::function<void()> on_wake;
  Session session(
      std::move(manual), [&] { on_wake(); }, std::move(options));
  std::string before, after;
  for (int i = 0; i < 60; ++i) (i < 30 ? before : after) += (i == 0 ? "w" : " w") + std::to_string(i);
  session.draft.d_model = 64;
  session.draft.heads = 4;
  session.draft.backend = BackendChoice::cpu;
  int ms = 0;
  const auto type = [&](const std::string& letters) {
    session.draft.phrase = before + letters + after;
    session.update(at(ms += 30));
    ASSERT_TRUE(executor.step());
  };
  on_wake = [&] { session.update(at(ms += 1)); };
  type("");
  ASSERT_NE(session.trace(), nullptr);
  EXPECT_FALSE(session.trace()->preview);
  for (const std::string letters : {"x", "xy", "xyz"}) {
    std::vector<std::shared_ptr<const Trace>> seen;
    on_wake = [&] {
      session.update(at(ms += 1));
      EXPECT_EQ(session.computing(), seen.empty());
      seen.push_back(session.trace());
    };
    type(letters);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_TRUE(seen[0]->preview);
    EXPECT_FALSE(seen[1]->preview);
    EXPECT_EQ(seen[0]->inputs->tokens[29], "w29" + letters);
    EXPECT_EQ(seen[0]->request, seen[1]->request);
    const std::vector<float> early = seen[0]->tensor(StageId::weights).values();
    const std::vector<float> exact = seen[1]->tensor(StageId::weights).values();
    ASSERT_EQ(early.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) ASSERT_NEAR(early[k], exact[k], 1e-5);
  }
}

}  // namespace
}  // namespace headscope
