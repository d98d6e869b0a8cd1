#include "app/frame/crash_handler.h"

#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "app/session/command_trail.h"
#include "core/base/memory_failures.h"
#include "core/base/version.h"

namespace headscope {

namespace {

constexpr int kMostFrames = 64;
constexpr std::array kSignals = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

// What the handler needs: it may ask for no memory.
std::array<char, 4096> final_path, partial_path;
std::array<char, 1 << 16> stack;                       // of the handler: the program's own may be used up
std::array<struct sigaction, kSignals.size()> before;  // what happened at these signals without us
int file = -1;

void put(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, text, size);
    if (written <= 0) return;
    text += written;
    size -= static_cast<std::size_t>(written);
  }
}

void put(const char* text) {
  put(text, std::strlen(text));
}

void write_number(long long number) {
  std::array<char, 24> digits;
  std::size_t at = digits.size();
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  put(digits.data() + at, digits.size() - at);
}

const char* name_of(int number) {
  switch (number) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    default:
      return "SIGILL";
  }
}

void write_report(int number) {
  file = ::open(partial_path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  put("Headscope ");
  put(kVersion);
  put("\nended at ");
  write_number(static_cast<long long>(::time(nullptr)));
  put(" seconds of 1970, by ");
  put(name_of(number));
  put("\nlast commands:\n");
  each_noted_command([](const char* text, int size) {
    put("  ");
    put(text, static_cast<std::size_t>(size));
    put("\n");
  });
  put("backtrace:\n");
  std::array<void*, kMostFrames> frames;
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), kMostFrames), file);
  ::close(file);
  ::rename(partial_path.data(), final_path.data());
}

extern "C" void on_crash(int number) {
  // A fault in here, or in another thread meanwhile, is no longer ours. A library that has no memory is no bug.
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
  if (failed_allocations() == 0) write_report(number);
  std::raise(number);
}

}  // namespace

void install_crash_handler(const std::string& path) {
  const std::string partial = path + ".part";
  if (path.empty() || partial.size() >= partial_path.size()) return;
  std::memcpy(final_path.data(), path.c_str(), path.size() + 1);
  std::memcpy(partial_path.data(), partial.c_str(), partial.size() + 1);
  std::array<void*, 1> frame;
  ::backtrace(frame.data(), 1);  // loads its library now, which takes memory
  stack_t alternate = {};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &before[i]);
}

}  // namespace headscope
