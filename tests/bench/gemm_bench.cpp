// Projections of the cpu backend, weights packed before: GFLOP/s and the share of the multiply-add peak, which is
// measured in the same run.
#include <benchmark/benchmark.h>

#include <map>

#include "core/backend/backend.h"
#include "core/backend/kernels/peak.h"

namespace headscope {
namespace {

double peak_of(int threads) {
  static std::map<int, double> peaks;
  double& peak = peaks[threads];
  if (peak == 0) peak = measured_peak_gflops(threads);
  return peak;
}

Tensor filled(const Shape& shape, const Axes& axes) {
  Tensor tensor = Tensor::zeros(shape, axes);
  float* value = tensor.mutable_data();
  for (std::int64_t i = 0; i < tensor.size(); ++i) value[i] = static_cast<float>(i % 251) * 0.01F - 1.0F;
  return tensor;
}

Tensor weight_of(std::int64_t out, std::int64_t in, NumberType type) {
  const Axes axes{Axis::feature, Axis::feature};
  if (type == NumberType::float32) return filled({out, in}, axes);
  const auto numbers = std::make_shared<std::vector<std::uint16_t>>(static_cast<std::size_t>(out * in));
  for (std::size_t i = 0; i < numbers->size(); ++i) (*numbers)[i] = static_cast<std::uint16_t>(0x3800 + i % 251);
  return Tensor::two_byte_view_of(numbers, numbers->data(), type, {out, in}, {in, 1}, axes);
}

// Arguments: rows, inputs, outputs, threads, 0 float32, 1 float16 or 2 bfloat16 weights.
void projection(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  const std::int64_t in = state.range(1);
  const std::int64_t out = state.range(2);
  const int threads = static_cast<int>(state.range(3));
  Linear layer;
  layer.weight = weight_of(out, in, static_cast<NumberType>(state.range(4)));
  layer.bias = filled({out}, {Axis::feature});
  const Axes axes{Axis::batch, Axis::position, Axis::feature};
  const Tensor x = filled({1, rows, in}, axes);
  Tensor y = Tensor::zeros({1, rows, out}, axes);
  const auto backend = make_cpu_backend(threads);
  const CancelToken cancel;
  backend->linear_into(x, layer, y, cancel);
  for (auto _ : state) backend->linear_into(x, layer, y, cancel);
  const double gigaflop = 2e-9 * static_cast<double>(rows * in * out);
  state.counters["GFLOP/s"] = benchmark::Counter(gigaflop, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of peak"] =
      benchmark::Counter(gigaflop / peak_of(threads), benchmark::Counter::kIsIterationInvariantRate);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"rows", "in", "out", "threads", "type"});
  for (const std::int64_t threads : {1, 2}) {
    for (const auto& [in, out] :
         {std::pair<std::int64_t, std::int64_t>{512, 512}, {512, 1536}, {768, 2304}, {1024, 1024}}) {
      for (const std::int64_t rows : {1, 4, 16, 64, 256, 1024}) bench->Args({rows, in, out, threads, 0});
    }
  }
  for (const std::int64_t type : {1, 2}) {
    for (const std::int64_t rows : {1, 4, 16, 64, 256}) bench->Args({rows, 768, 2304, 1, type});
  }
}
BENCHMARK(projection)->Apply(sizes)->Unit(benchmark::kMicrosecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
}  // namespace headscope
