#include "app/platform/end_signals.h"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

namespace headscope {
namespace {

sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  return signals;
}

class WaitingThread : public EndSignals {
 public:
  explicit WaitingThread(std::function<void()> wake)
      : thread_([this, wake = std::move(wake)] {
          const sigset_t signals = end_signals();
          int signal = 0;
          sigwait(&signals, &signal);
          if (stopping_) return;
          ended_ = true;
          wake();
        }) {}
  ~WaitingThread() override {
    stopping_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);  // ends its wait; harmless when it is over
    thread_.join();
  }
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;
  bool ended() const override { return ended_; }

 private:
  std::atomic<bool> ended_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace

void hold_end_signals() {
  const sigset_t signals = end_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::unique_ptr<EndSignals> watch_end_signals(std::function<void()> wake) {
  return std::make_unique<WaitingThread>(std::move(wake));
}

}  // namespace headscope
