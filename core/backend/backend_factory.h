// How an engine gets its backend, also the GPU's, which core cannot make because it knows no OpenGL.
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
  bool large = false;  // so much work that a graphics card is faster, its start and the transfers included
  friend bool operator==(const BackendQuery&, const BackendQuery&) = default;
};

// Makes a backend; throws BackendError. core's own is make_backend() below; a program with OpenGL sets another one in
// EngineOptions::make_backend.
using BackendFactory = std::function<std::shared_ptr<const Backend>(const BackendQuery&)>;

// The backends that core has: automatic is cpu. Throws BackendError for gpu.
std::shared_ptr<const Backend> make_backend(const BackendQuery& query);

// `backend`, replaced by the CPU backend from the first call on that fails with BackendError: for numbers that are read
// after the forward, which cannot be run again then. The CPU's numbers differ by rounding. A backend without a device
// is returned unchanged.
std::shared_ptr<const Backend> with_cpu_fallback(std::shared_ptr<const Backend> backend);

}  // namespace headscope
