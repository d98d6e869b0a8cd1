// Lends GL contexts, which only the window's thread may make, to the computing thread.
#pragma once

#include <functional>
#include <memory>

#include "app/gl/offscreen.h"

namespace headscope {

// What the window's thread lends: a context that shares its textures. The functions are called on the computing thread,
// or never.
struct LentContext {
  std::function<void()> make_current;
  std::function<void()> release;  // makes it not current; it can be lent again
  std::shared_ptr<TextureShare> share;
};

// Copies share their state: the window's thread keeps one, the factory of backends another.
class ContextLender {
 public:
  // `wake` makes the window's thread call serve().
  explicit ContextLender(std::function<void()> wake);

  // Called by the computing thread: waits for the answer of the window's thread; the context is then current here. Null
  // when the window has none to lend, when it cannot be made current, or after close().
  std::unique_ptr<OffscreenContext> borrow() const;

  // Called often by the window's thread. Calls `lend` when a thread waits in borrow(). When `lend` throws or returns no
  // `make_current`, borrow() returns null.
  void serve(const std::function<LentContext()>& lend) const;
  // Called by the window's thread at the end: waiting and later calls of borrow() return null.
  void close() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headscope
