// Runs one job in the background, which the user waits for and may cancel: exports, comparisons.
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
  // `wake` is called when the progress of a job grows by a hundredth, and when it ends.
  JobRunner(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels the running job and waits for it.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  // Starts a job; false while another one runs.
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
