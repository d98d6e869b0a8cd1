// Calls in which the graphics driver itself may find no memory. Where the driver is written in C++ (the compiler of
// Mesa's drivers on the processor), std::bad_alloc leaves it in the middle of its work, and its locks stay held: what
// cleans up afterwards, or draws the next frame, waits forever.
#pragma once

#include <functional>
#include <new>

namespace headscope {

// What this thread still does before the program ends in in_driver(): it saves. Of one thread, as long as it exists.
class LastWords {
 public:
  explicit LastWords(std::function<void()> words);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
};

// Runs the last words of this thread, without the memory that they may need being missed, and ends by std::terminate().
[[noreturn]] void end_in_driver() noexcept;

// Returns what `call` returns, which calls the driver and allocates nothing itself. Where it throws std::bad_alloc
// nothing is cleaned up: end_in_driver().
template <typename Call>
decltype(auto) in_driver(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    end_in_driver();
  }
}

}  // namespace headscope
