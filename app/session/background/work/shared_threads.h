// A few threads that the services of the background share.
//
// Each service has a line of work of its own, and at most one piece of a line runs at a time. Lines take turns, piece
// by piece. Pieces of heavy lines may take seconds, so that at most kMostHeavy of them run at a time: what is left for
// light lines is a thread that no heavy piece holds up.
//
// Why three threads are enough: heavy numbers are asked by the main view, which is one at a time, and by the inspector
// on request; that is two. Pictures, reports and the pixel under the mouse are light. Only pictures of large maps take
// long among these, and then there are three threads, not one, unless two heavy pieces run as well. More threads would
// not be faster: the heavy steps of the engine use all cores by themselves.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headscope {

class SharedThreads {
 public:
  static constexpr std::size_t kThreads = 3, kMostHeavy = 2;

  // The work of one owner, in order. It must be closed before it is destroyed.
  struct Line {
    const bool heavy = false;
    // Guarded by the mutex of the threads.
    std::deque<std::function<void()>> work = {};
    bool running = false, closed = false;
  };

  SharedThreads() = default;
  // Every line must be closed.
  ~SharedThreads();
  SharedThreads(const SharedThreads&) = delete;
  SharedThreads& operator=(const SharedThreads&) = delete;

  // Any thread may call it, also a piece of work. A line that is closed drops the work.
  void run(Line& line, std::function<void()> work);
  // Drops what waits in the line, and waits for its running piece only. No piece of work may close its own line.
  void close(Line& line);

 private:
  void work_until_end();
  Line* take_startable();  // with the mutex held; null: none may run now

  std::mutex mutex_;
  std::condition_variable changed_;  // there may be a line to run, or the end
  std::condition_variable ended_;    // a piece has ended
  std::deque<Line*> ready_;          // lines with work and none running, in turn
  std::size_t idle_ = 0, heavy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headscope
