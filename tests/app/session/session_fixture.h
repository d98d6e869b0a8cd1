// A session whose engine is a few lines, so that a test says exactly what happens when.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/work/compute_queue.h"
#include "app/session/session.h"

namespace headscope {

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

// Time that a test moves by hand.
inline TimePoint at(int ms) {
  return TimePoint{} + std::chrono::hours(1) + milliseconds(ms);
}

inline Request request_of(const std::string& phrase) {
  Request request;
  request.phrase = phrase;
  return request;
}

inline std::shared_ptr<const Trace> trace_of(const Request& request) {
  auto trace = std::make_shared<Trace>();
  trace->request = request;
  return trace;
}

// Session on a ManualExecutor: step() runs what was submitted. `during` is called while a run is going on.
class ManualSession {
 public:
  ManualSession() { make(); }

  void make() {
    auto manual = std::make_unique<ManualExecutor>();
    executor = manual.get();
    auto manual_jobs = std::make_unique<ManualExecutor>();
    jobs = manual_jobs.get();
    SessionOptions options;
    options.compute = [this](const Request& request, Engine& engine, const CancelToken& token,
                             const EarlyTrace& early) {
      computed.push_back(request.phrase);
      const auto meanwhile = during;  // which may replace `during`
      if (meanwhile) meanwhile(token);
      token.check();
      if (compute) return compute(request, engine, token, early);
      return trace_of(request);
    };
    options.job_executor = std::move(manual_jobs);
    session = std::make_unique<Session>(
        std::move(manual), [this] { ++wakes; }, std::move(options));
  }

  void type(const std::string& phrase, int ms) {
    session->draft.phrase = phrase;
    session->update(at(ms));
  }
  std::string shown() const { return session->trace() ? session->trace()->request.phrase : "(nothing)"; }

  ManualExecutor* executor = nullptr;
  ManualExecutor* jobs = nullptr;
  std::vector<std::string> computed;
  std::function<void(const CancelToken&)> during;
  Compute compute;
  int wakes = 0;
  std::unique_ptr<Session> session;
};

}  // namespace headscope
