#include "core/backend/backend_factory.h"

namespace headscope {

std::vector<BackendInfo> backends() {
  return {
      {BackendChoice::automatic, "auto", "cpu; in the window a graphics card for large requests, where there is one"},
      {BackendChoice::cpu, "cpu", "any number of threads, the same bits"},
      {BackendChoice::gpu, "gpu", "compute shaders of OpenGL 4.3; where they cannot run, cpu with a notice"},
      {BackendChoice::reference, "reference", "one plain loop a formula, sums in double; slow, the oracle"},
  };
}

std::shared_ptr<const Backend> make_backend(const BackendQuery& query) {
  switch (query.choice) {
    case BackendChoice::reference:
      return make_reference_backend();
    case BackendChoice::gpu:
      throw BackendError("This build has no GPU backend.");
    case BackendChoice::automatic:
    case BackendChoice::cpu:
      break;
  }
  return make_cpu_backend(query.threads);
}

}  // namespace headscope
