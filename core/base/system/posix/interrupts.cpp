#include "core/base/system/interrupts.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <initializer_list>

namespace headscope::system {

namespace {

std::atomic<void (*)(int)> at_interrupt{nullptr};
std::atomic<void (*)() noexcept> at_crash{nullptr};

constexpr std::array kFatal = {SIGSEGV, SIGABRT};
std::array<struct sigaction, kFatal.size()> fatal_before;
std::array<char, 1 << 15> crash_stack;  // of the handlers: the program's own may be used up

extern "C" void interrupt_signal(int signal_number) {
  std::signal(signal_number, SIG_DFL);  // a second Ctrl+C ends it at once
  at_interrupt.load()(signal_number);
}

extern "C" void fatal_signal(int signal_number) {
  at_crash.load()();
  for (std::size_t i = 0; i < kFatal.size(); ++i) ::sigaction(kFatal[i], &fatal_before[i], nullptr);
  std::raise(signal_number);
}

}  // namespace

void on_interrupt(void (*interrupted)(int signal_number)) noexcept {
  at_interrupt.store(interrupted);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal_number, interrupt_signal) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
}

void make_refused_writes_errors() noexcept {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void on_crash(void (*ending)() noexcept) noexcept {
  at_crash.store(ending);
  stack_t alternate = {};
  alternate.ss_sp = crash_stack.data();
  alternate.ss_size = crash_stack.size();
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = fatal_signal;
  action.sa_flags = SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kFatal.size(); ++i) ::sigaction(kFatal[i], &action, &fatal_before[i]);
}

}  // namespace headscope::system
