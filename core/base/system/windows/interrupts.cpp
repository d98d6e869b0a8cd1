#include "core/base/system/interrupts.h"

#include <windows.h>

#include <atomic>
#include <csignal>

namespace headscope::system {

namespace {

std::atomic<void (*)(int)> at_interrupt{nullptr};
std::atomic<bool> was_interrupted{false};
std::atomic<void (*)() noexcept> at_crash{nullptr};

// Runs in a thread of its own. FALSE: the next handler ends the program.
BOOL WINAPI on_console_event(DWORD event) {
  if (was_interrupted.exchange(true)) return FALSE;
  const bool is_asked = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  at_interrupt.load()(is_asked ? SIGINT : SIGTERM);
  // When a console closes, the program has until this returns, and 5 seconds at most.
  if (!is_asked) ::Sleep(5000);
  return TRUE;
}

LONG WINAPI on_exception(EXCEPTION_POINTERS*) {
  at_crash.load()();
  return EXCEPTION_CONTINUE_SEARCH;
}

extern "C" void abort_signal(int) {
  at_crash.load()();
}

}  // namespace

void on_interrupt(void (*interrupted)(int signal_number)) noexcept {
  at_interrupt.store(interrupted);
  ::SetConsoleCtrlHandler(on_console_event, TRUE);
}

// They are that already.
void make_refused_writes_errors() noexcept {}

void on_crash(void (*ending)() noexcept) noexcept {
  at_crash.store(ending);
  ::SetUnhandledExceptionFilter(on_exception);
  std::signal(SIGABRT, abort_signal);
}

}  // namespace headscope::system
