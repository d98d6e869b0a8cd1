// The real thread under load; run under ThreadSanitizer by CI.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

// Counts wakes and lets a test wait for them.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      ++rung_;
    }
    changed_.notify_all();
  }
  // False after ten seconds without one more.
  bool wait_beyond(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return rung_ > count; });
  }
  int rung() {
    const std::lock_guard lock(mutex_);
    return rung_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int rung_ = 0;
};

SessionOptions options_with(std::function<void(const Request&, const CancelToken&)> work) {
  SessionOptions options;
  options.compute = [work = std::move(work)](const Request& request, Engine&, const CancelToken& token,
                                             const EarlyTrace&) {
    work(request, token);
    return trace_of(request);
  };
  return options;
}

void spin(const CancelToken& token, std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    token.check();
    std::this_thread::yield();
  }
}

void update_until_idle(Session& session, Bell& bell) {
  session.update(std::chrono::steady_clock::now());
  while (session.computing()) {
    const int rung = bell.rung();
    session.update(std::chrono::steady_clock::now());
    if (session.computing()) {
      ASSERT_TRUE(bell.wait_beyond(rung));
    }
    session.update(std::chrono::steady_clock::now());
  }
  // The last result may have come between an update and the question whether anything is being computed.
  session.update(std::chrono::steady_clock::now());
}

TEST(Threads, TheNewestDraftIsShownInTheEnd) {
  Bell bell;
  Session session(
      make_thread_executor(), [&] { bell.ring(); },
      options_with([](const Request&, const CancelToken& token) { spin(token, std::chrono::microseconds(300)); }));
  for (int k = 0; k < 400; ++k) {
    session.draft.phrase = "word " + std::to_string(k);
    session.update(std::chrono::steady_clock::now());
    if (session.trace()) {
      EXPECT_FALSE(session.trace()->request.phrase.empty());
    }
    if (k % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  update_until_idle(session, bell);
  ASSERT_NE(session.trace(), nullptr);
  EXPECT_EQ(session.trace()->request.phrase, "word 399");
  EXPECT_FALSE(session.stale());
}

TEST(Threads, ASlowOvertakenRunIsCancelledAndTheNewestIsShown) {
  Bell bell;
  std::atomic<int> cancelled{0};
  std::atomic<bool> began{false};
  Session session(
      make_thread_executor(), [&] { bell.ring(); }, options_with([&](const Request& request, const CancelToken& token) {
        if (request.phrase != "slow") return;
        began = true;
        try {
          spin(token, std::chrono::seconds(60));
        } catch (const Cancelled&) {
          ++cancelled;
          throw;
        }
      }));
  // The clock of the session is the test's: minutes pass at once.
  session.draft.phrase = "quick";
  session.update(at(0));
  ASSERT_TRUE(bell.wait_beyond(0));
  session.draft.phrase = "slow";
  session.update(at(10));
  while (!began) std::this_thread::yield();
  session.update(at(20));
  session.draft.phrase = "newest";
  session.update(at(30));
  const int rung = bell.rung();
  session.update(at(1000));
  ASSERT_TRUE(bell.wait_beyond(rung + 1));
  session.update(at(1010));
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(session.trace()->request.phrase, "newest");
}

TEST(Threads, DestroyingASessionCancelsWhatRunsAndWaitsForIt) {
  std::atomic<bool> began{false}, ended{false}, job_began{false}, job_ended{false};
  {
    Session session(make_thread_executor(), {}, options_with([&](const Request&, const CancelToken& token) {
                      began = true;
                      try {
                        spin(token, std::chrono::seconds(60));
                      } catch (const Cancelled&) {
                        ended = true;
                        throw;
                      }
                    }));
    session.draft = request_of("a");
    session.update(at(0));
    session.jobs.start("j", [&](const CancelToken& token, const std::function<void(double)>& progress) {
      job_began = true;
      try {
        for (int k = 0;; ++k) {
          progress((k % 100) / 100.0);
          spin(token, std::chrono::microseconds(10));
        }
      } catch (const Cancelled&) {
        job_ended = true;
        throw;
      }
      return std::string();
    });
    while (!began || !job_began) std::this_thread::yield();
  }
  EXPECT_TRUE(ended);
  EXPECT_TRUE(job_ended);
}

TEST(Threads, JobsAndKeystrokesRunBesideEachOther) {
  Bell bell;
  Session session(
      make_thread_executor(), [&] { bell.ring(); }, options_with([](const Request&, const CancelToken&) {}));
  int jobs = 0;
  for (int k = 0; k < 300; ++k) {
    session.draft.phrase = std::to_string(k);
    session.update(std::chrono::steady_clock::now());
    if (!session.jobs.current().running) {
      session.jobs.dismiss();
      const auto trace = session.trace();
      if (session.jobs.start("j", [trace](const CancelToken& token, const std::function<void(double)>& progress) {
            for (int step = 0; step < 20; ++step) {
              token.check();
              progress(step / 20.0);
            }
            return trace ? trace->request.phrase : std::string();
          })) {
        ++jobs;
      }
    }
    if (k % 50 == 49) session.jobs.cancel();
    if (k % 5 == 0) std::this_thread::yield();
  }
  while (session.jobs.current().running) std::this_thread::yield();
  update_until_idle(session, bell);
  EXPECT_GE(jobs, 1);
  EXPECT_EQ(session.trace()->request.phrase, "299");
}

TEST(Threads, AThreadExecutorRunsWorkInOrderAndDropsWhatHasNotBegun) {
  std::vector<int> order;
  std::atomic<int> done{0};
  {
    const auto executor = make_thread_executor();
    for (int k = 0; k < 100; ++k) {
      executor->run([&order, &done, k] {
        order.push_back(k);
        ++done;
      });
    }
    while (done < 100) std::this_thread::yield();
    executor->run([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    executor->run([&order] { order.push_back(-1); });
  }
  ASSERT_GE(order.size(), 100u);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(order[static_cast<std::size_t>(k)], k);
}

TEST(Threads, AThreadExecutorThatWasNeverUsedEndsAtOnce) {
  make_thread_executor();
}

}  // namespace
}  // namespace headscope
