// What load_inputs keeps between two requests, for those who only hand it on.
#pragma once

#include <memory>

namespace headscope {

// Keeps what was loaded, so that a keystroke does not draw or read the layer's weights again. One per session; not
// thread-safe: only the worker thread uses it.
class InputCache {
 public:
  InputCache();
  ~InputCache();
  InputCache(const InputCache&) = delete;
  InputCache& operator=(const InputCache&) = delete;
  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace headscope
