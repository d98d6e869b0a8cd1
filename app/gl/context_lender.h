// Contexts that only the window's thread may make, for the thread that computes.
#pragma once

#include <functional>
#include <memory>

#include "app/gl/offscreen.h"

namespace headscope {

// What the window's thread lends: a context that shares its textures. All three are called on the thread that computes,
// or not at all.
struct LentContext {
  std::function<void()> make_current;
  std::function<void()> release;  // it is not current any longer, and can be lent again
  std::shared_ptr<TextureShare> share;
};

// Copies share what they do: one is kept by the window's thread, one goes into the factory of backends.
class ContextLender {
 public:
  // `wake` makes the window's thread call serve().
  explicit ContextLender(std::function<void()> wake);

  // By the thread that computes: waits until the window's thread has answered; current here then. Null when it has none
  // to lend, when it cannot be made current, or when that thread is gone.
  std::unique_ptr<OffscreenContext> borrow() const;

  // By the window's thread, often. Calls `lend` when somebody waits; what that returns without `make_current`, or what
  // it throws, is a no.
  void serve(const std::function<LentContext()>& lend) const;
  // By the window's thread: nobody is answered any more, and who waits goes away with nothing.
  void close() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headscope
