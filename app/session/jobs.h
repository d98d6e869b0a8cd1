// Work that the user starts, waits for and may cancel: exports, comparisons. One at a time, in the background.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/tensor_comparison.h"
#include "app/session/background/work/executor.h"
#include "core/attention/trace.h"
#include "core/backend/backend_factory.h"
#include "core/base/cancel.h"

namespace headscope {

// The state of the job that runs, or of the last one.
struct Job {
  std::string title;    // "": there is none
  double progress = 0;  // [0, 1]
  bool running = false;
  bool failed = false;
  std::string result;  // when ended: what was done, or why it failed
  std::chrono::steady_clock::time_point started;
};

// Does the work: gets a token and reports the share done in [0, 1]. Returns a sentence that says what was done. Throws
// Cancelled, and an Error whose text becomes the result.
using JobWork = std::function<std::string(const CancelToken&, const std::function<void(double)>&)>;

// Every function may be called from any thread.
class Jobs {
 public:
  // `wake` is called when the progress of a job grows by a hundredth, and when it ends. `make_backend` makes the
  // backends that compare_backends() holds against each other.
  Jobs(std::unique_ptr<Executor> executor, std::function<void()> wake, BackendFactory make_backend);
  // Cancels the running job and waits for it.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Starts a job; false while another one runs.
  bool start(const std::string& title, JobWork work);
  // Starts a job that computes the trace's request on the CPU and on the GPU and reports the times and the
  // differences. False while a job runs, and when the trace is null.
  bool compare_backends(const std::shared_ptr<const Trace>& trace);
  // Starts a job that compares the user's own tensors with the trace; its answer is then in comparison(). False while a
  // job runs, and when the trace is null.
  bool compare_tensors(const std::shared_ptr<const Trace>& trace, const std::vector<TheirFile>& files);

  Job current() const;
  void cancel();
  void dismiss();  // forgets a job that has ended

  std::shared_ptr<const TensorComparison> comparison() const;  // null: none
  void forget_comparison();

  // The time at which the jobs that are started from now on start; before the first call it is the clock's.
  void set_time(std::chrono::steady_clock::time_point now);

 private:
  void run(const JobWork& work, const CancelToken& token);
  void set_progress(double share);

  const std::function<void()> wake_;
  const BackendFactory make_backend_;
  TensorComparer comparer_;
  mutable std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> now_;
  Job job_;
  CancelToken token_;
  std::unique_ptr<Executor> executor_;  // last: it ends before what its work uses
};

}  // namespace headscope
