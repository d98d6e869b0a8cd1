// A flag that asks a computation to stop: a newer request sets it, long loops check it.
#pragma once

#include <atomic>
#include <memory>

#include "core/base/error.h"

namespace headscope {

class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
  // Throws Cancelled when cancel() was called on any copy of this token.
  void check() const {
    if (cancelled()) throw Cancelled();
  }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace headscope
