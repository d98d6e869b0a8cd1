// How an engine gets its backend, also one that core cannot make since it knows no OpenGL.
#pragma once

#include <functional>
#include <memory>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/request/request.h"

namespace headscope {

// A backend cannot be made here, or its device failed. Not the request's fault: another backend may compute it.
class BackendError : public Error {
 public:
  using Error::Error;
};

struct BackendQuery {
  BackendChoice choice = BackendChoice::automatic;
  int threads = 0;     // 0: all cores
  bool large = false;  // so much work that a graphics card pays, its start and the way to it and back included
  friend bool operator==(const BackendQuery&, const BackendQuery&) = default;
};

// Throws BackendError. core's own is make_backend() below; a program that has OpenGL hands its own to
// EngineOptions::make_backend.
using BackendFactory = std::function<std::shared_ptr<const Backend>(const BackendQuery&)>;

// The backends that core has: automatic is cpu. Throws BackendError for gpu.
std::shared_ptr<const Backend> make_backend(const BackendQuery& query);

// `backend`, or the CPU from the first call on whose device fails: for numbers that are read when nobody can start the
// whole computation again. Their bits differ then, within what the backends differ. One that has no device is returned
// as it is.
std::shared_ptr<const Backend> with_cpu_behind(std::shared_ptr<const Backend> backend);

}  // namespace headscope
