// Runs work: on threads in the app, inline in tests, so that GUI tests are exact to the frame.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace headscope {

// How the work of an executor shares threads with that of its siblings.
enum class Load {
  alone,  // a thread of its own, for what nothing may hold up
  light,  // shared threads, one of which is never held up by heavy work: for what the eye waits for
  heavy   // shared threads: for work that may take seconds
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` once, later or now, after all work passed before. `work` must not throw.
  virtual void run(std::function<void()> work) = 0;
  // Another executor of the same kind, for work that must not wait behind the work of this one.
  virtual std::unique_ptr<Executor> make_sibling(Load load) const = 0;
};

// Runs work at once, on the calling thread. Work that running work passes on runs after it.
std::unique_ptr<Executor> make_inline_executor();

// Keeps work until step() is called; for tests of the states in between. The destructor drops the rest.
class ManualExecutor : public Executor {
 public:
  void run(std::function<void()> work) override;
  std::unique_ptr<Executor> make_sibling(Load load) const override;
  // Runs the oldest piece of work on the calling thread; false when there is none.
  bool step();
  std::size_t waiting() const { return work_.size(); }

 private:
  std::deque<std::function<void()>> work_;
};

// One thread, started with the first work, which sleeps while it has no work. Its siblings that are not alone share the
// threads of shared_threads.h. The destructor waits for the running work of this executor only, and drops the rest.
std::unique_ptr<Executor> make_thread_executor();

}  // namespace headscope
