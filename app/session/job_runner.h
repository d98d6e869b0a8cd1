// Work in the background that a user waits for and may cancel: exports.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "app/session/background/executor.h"
#include "app/session/session.h"

namespace headscope {

// One job at a time. Every function may be called from any thread.
class JobRunner {
 public:
  // `wake` is called when a job has moved on by a hundredth, and when it ends.
  JobRunner(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels what runs and waits for it.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // False while one runs.
  bool start(const std::string& title, Session::JobWork work, std::chrono::steady_clock::time_point now);
  void cancel();
  Session::Job job() const;
  void dismiss();  // forgets a job that has ended

 private:
  void run(const Session::JobWork& work, const CancelToken& token);
  void set_progress(double share);

  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  Session::Job job_;
  CancelToken token_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace headscope
