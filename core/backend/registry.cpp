#include "core/backend/backend.h"
#include "core/error.h"

namespace headscope {

std::vector<BackendInfo> backends() {
  return {
      {BackendChoice::automatic, "auto", "the fastest that runs here: cpu", true, ""},
      {BackendChoice::cpu, "cpu", "products in fixed tiles, any number of threads, the same bits", true, ""},
      {BackendChoice::gpu, "gpu", "compute shaders", false, "this version computes on the CPU only; use cpu or auto"},
      {BackendChoice::reference, "reference", "one plain loop a formula, sums in double; slow, the oracle", true, ""},
  };
}

std::shared_ptr<const Backend> make_backend(BackendChoice choice, int threads) {
  for (const BackendInfo& info : backends()) {
    if (info.choice == choice && !info.supported) {
      throw UsageError(std::string("--backend ") + info.name + " cannot run here: " + info.why_not);
    }
  }
  return choice == BackendChoice::reference ? make_reference_backend() : make_cpu_backend(threads);
}

}  // namespace headscope
