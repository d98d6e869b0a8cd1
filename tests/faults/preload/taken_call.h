// A function of OpenGL that a library of LD_PRELOAD takes for itself.
#pragma once

#include <dlfcn.h>

// libepoxy keeps every function of OpenGL in a variable. What stands there first looks for the function and sets the
// variable, but only while it stands there itself: it is put back for each call.
template <typename Function>
class Taken {
 public:
  Taken(const char* name, Function ours) : place_(static_cast<Function*>(dlsym(RTLD_DEFAULT, name))), ours_(ours) {
    if (place_ == nullptr) return;
    real_ = *place_;
    *place_ = ours_;
  }
  template <typename... Given>
  auto call(Given... given) {
    struct Back {
      Taken& taken;
      ~Back() {
        taken.real_ = *taken.place_;
        *taken.place_ = taken.ours_;
      }
    } const back{*this};
    *place_ = real_;
    return real_(given...);
  }

 private:
  Function* place_;
  Function ours_, real_ = nullptr;
};
