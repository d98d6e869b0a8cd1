// Exports in the background: one at a time, with progress, cancelled when asked.
#include <limits>

#include "core/base/error.h"
#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

TEST(Jobs, AJobReportsItsProgressAndItsResult) {
  ManualSession s;
  s.session->update(at(0));
  ASSERT_TRUE(
      s.session->jobs.start("Export weights", [&](const CancelToken&, const std::function<void(double)>& progress) {
        progress(0.5);
        EXPECT_EQ(s.session->jobs.current().progress, 0.5);
        EXPECT_TRUE(s.session->jobs.current().running);
        return std::string("Wrote weights.npy");
      }));
  EXPECT_TRUE(s.session->jobs.current().running);
  EXPECT_EQ(s.session->jobs.current().title, "Export weights");
  EXPECT_EQ(s.session->jobs.current().started, at(0));
  ASSERT_TRUE(s.jobs->step());
  const Job job = s.session->jobs.current();
  EXPECT_FALSE(job.running);
  EXPECT_FALSE(job.failed);
  EXPECT_EQ(job.progress, 1);
  EXPECT_EQ(job.result, "Wrote weights.npy");
  EXPECT_GE(s.wakes, 2);
  s.session->jobs.dismiss();
  EXPECT_EQ(s.session->jobs.current().title, "");
}

TEST(Jobs, OnlyOneRunsAtATime) {
  ManualSession s;
  int ran = 0;
  const auto work = [&](const CancelToken&, const std::function<void(double)>&) {
    ++ran;
    return std::string("done");
  };
  EXPECT_TRUE(s.session->jobs.start("first", work));
  EXPECT_FALSE(s.session->jobs.start("second", work));
  s.session->jobs.dismiss();
  EXPECT_EQ(s.session->jobs.current().title, "first") << "a running job cannot be dismissed";
  while (s.jobs->step()) {
  }
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(s.session->jobs.start("second", work));
}

TEST(Jobs, AnErrorIsItsResult) {
  ManualSession s;
  s.session->jobs.start("x", [](const CancelToken&, const std::function<void(double)>&) -> std::string {
    throw Error("out/weights.npy: No space left on device");
  });
  s.jobs->step();
  EXPECT_TRUE(s.session->jobs.current().failed);
  EXPECT_EQ(s.session->jobs.current().result, "out/weights.npy: No space left on device");
}

TEST(Jobs, ACancelledJobStopsAndSaysSo) {
  ManualSession s;
  s.session->jobs.start("x", [&](const CancelToken& token, const std::function<void(double)>& progress) {
    progress(0.25);
    s.session->jobs.cancel();
    token.check();
    return std::string("written after all");
  });
  s.jobs->step();
  const Job job = s.session->jobs.current();
  EXPECT_FALSE(job.running);
  EXPECT_FALSE(job.failed);
  EXPECT_EQ(job.result, "Cancelled; nothing was written.");
  EXPECT_EQ(job.progress, 0.25);
}

TEST(Jobs, OneThatIsCancelledBeforeItBeginsDoesNothing) {
  ManualSession s;
  bool began = false;
  s.session->jobs.start("x", [&](const CancelToken&, const std::function<void(double)>&) {
    began = true;
    return std::string();
  });
  s.session->jobs.cancel();
  s.jobs->step();
  EXPECT_FALSE(began);
  EXPECT_FALSE(s.session->jobs.current().running);
}

TEST(Jobs, ProgressIsKeptInRangeAndWakesTheWindowAHundredTimesAtMost) {
  ManualSession s;
  s.session->jobs.start("x", [&](const CancelToken&, const std::function<void(double)>& progress) {
    progress(-3);
    EXPECT_EQ(s.session->jobs.current().progress, 0);
    progress(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(s.session->jobs.current().progress, 0);
    for (int k = 0; k <= 100000; ++k) progress(k / 1e5);
    progress(7);
    EXPECT_EQ(s.session->jobs.current().progress, 1);
    return std::string();
  });
  s.jobs->step();
  EXPECT_LE(s.wakes, 102);
}

TEST(Jobs, AJobDoesNotHoldUpTheNextKeystroke) {
  ManualSession s;
  s.session->jobs.start("long", [](const CancelToken&, const std::function<void(double)>&) { return std::string(); });
  s.type("a", 10);
  EXPECT_TRUE(s.executor->step());
  s.session->update(at(20));
  EXPECT_EQ(s.shown(), "a");
  EXPECT_TRUE(s.session->jobs.current().running);
}

TEST(Jobs, WithAnInlineExecutorAJobIsDoneAtOnce) {
  Session session(make_inline_executor(), {});
  EXPECT_TRUE(session.jobs.start(
      "x", [](const CancelToken&, const std::function<void(double)>&) { return std::string("done"); }));
  EXPECT_EQ(session.jobs.current().result, "done");
}

}  // namespace
}  // namespace headscope
