// Pieces of work that go on by turns.
#pragma once

#include <cstddef>
#include <functional>

namespace headscope {

// Calls work(k, pause) for k = 0 ... count - 1, each on a thread of its own, but never two at a time: one goes on until
// it calls pause() or returns; then the next one that has not returned does, by number and round again. So all come to
// their n-th pause before any goes beyond it. When one throws, pause() of the others throws Cancelled, and what was
// thrown first is thrown here, once all have ended. Error when no thread can be started. A single piece of work runs on
// this thread, and its pause() does nothing.
using Pause = std::function<void()>;
void work_by_turns(std::size_t count, const std::function<void(std::size_t k, const Pause& pause)>& work);

}  // namespace headscope
