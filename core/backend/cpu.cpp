#include "core/backend/cpu_backend.h"

namespace headscope {
namespace {

constexpr double kParallelWork = 3e5;  // multiplications from which waking a worker pays

}  // namespace

Tensor with_unit_last_stride(const Tensor& tensor) {
  const int last = tensor.rank() - 1;
  return tensor.dim(last) == 1 || tensor.strides()[last] == 1 ? tensor : tensor.dense_copy();
}

std::string CpuBackend::description() const {
  return pool_.threads() == 1 ? "CPU, 1 thread" : "CPU, " + std::to_string(pool_.threads()) + " threads";
}

void CpuBackend::run(std::int64_t count, double work, const CancelToken& cancel,
                     const std::function<void(std::int64_t)>& task) const {
  cancel.check();
  pool_.run(count, work >= kParallelWork, [&](std::int64_t i) {
    cancel.check();
    task(i);
  });
}

void CpuBackend::run_with_scratch(std::int64_t count, double work, std::int64_t floats, const CancelToken& cancel,
                                  const std::function<void(std::int64_t, float*)>& task) const {
  run(count, work, cancel, [&](std::int64_t i) {
    const ScratchPool::Lease scratch = scratch_.take(floats);
    task(i, scratch.data());
  });
}

std::shared_ptr<const Backend> make_cpu_backend(int threads) {
  return std::make_shared<const CpuBackend>(threads);
}

}  // namespace headscope
