#include "app/memory/end_without_memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "core/base/held_errors.h"
#include "core/base/memory_advice.h"
#include "core/base/memory_failures.h"
#include "core/base/system/files.h"
#include "core/base/system/interrupts.h"
#include "core/base/system/machine.h"

namespace headscope {

namespace {

constexpr int kCode = 3;  // contract, 'Exit codes': something outside of the request refused

const char* beginning = "";
std::terminate_handler terminate_before = nullptr;
std::atomic<bool> said{false};

struct Line {
  std::array<char, 2048> text{};
  std::size_t size = 0;
  void add(const char* words) noexcept {
    const std::size_t more = std::min(std::strlen(words), text.size() - size);
    std::memcpy(text.data() + size, words, more);
    size += more;
  }
  // Letters that a terminal would obey are left out.
  void add_printable(const char* words) noexcept {
    for (; *words != '\0' && size < text.size(); ++words) {
      const auto letter = static_cast<unsigned char>(*words);
      text[size++] = letter < 0x20 || letter == 0x7f ? '?' : *words;
    }
  }
};

void end_if_memory_failed() noexcept {
  if (failed_allocations() == 0) return;
  say_memory_is_missing();
  system::end_at_once(kCode);
}

[[noreturn]] void on_terminate() {
  end_if_memory_failed();
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

// A library may call exit() where it finds no memory: Xlib does.
void on_exit() {
  if (said.load()) return;
  try {
    check_memory();
    return;
  } catch (const std::bad_alloc&) {
    say_memory_is_missing();
  }
  system::end_at_once(kCode);
}

}  // namespace

void say_memory_is_missing() noexcept {
  if (said.exchange(true)) return;
  Line line;
  line.add(beginning);
  line.add("memory: found too little for this request");
  const char* const large = large_file_in_use();
  const char* const file = *large != '\0' ? large : file_in_work();
  if (*file != '\0') {
    line.add(*large != '\0' ? "; the largest file in use is " : "; the last file that was opened is ");
    line.add_printable(file);
  }
  line.add("; ");
  line.add(memory_advice());
  line.add("\n");
  static_cast<void>(system::write_some(real_standard_error(), line.text.data(), line.size));
}

void end_politely_without_memory(const char* program) noexcept {
  beginning = program;
  terminate_before = std::set_terminate(on_terminate);
  std::atexit(on_exit);
  system::on_crash(end_if_memory_failed);
}

}  // namespace headscope
