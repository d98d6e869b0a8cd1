// The GPU backend against the CPU's: layers, tiles of a large map, and the device's own multiply-adds, to give speeds
// as shares of it. ./dev gpu runs these and prints what they mean (measure_gpu.py). Needs OpenGL 4.3; without it
// nothing is measured and the reason is said.
#include <benchmark/benchmark.h>
#include <epoxy/gl.h>

#include <memory>
#include <string>
#include <vector>

#include "app/gl/compute_backend.h"
#include "app/gl/compute_buffer.h"
#include "app/gl/offscreen.h"
#include "core/attention/forward.h"
#include "core/attention/stage_buffers.h"
#include "core/base/error.h"
#include "core/model/load_inputs.h"
#include "tests/bench/made_map.h"
#include "tests/bench/phrases.h"

namespace headscope {
namespace {

enum Where : std::int64_t { kCpu, kGpu };

// The backend that computes, or null and the benchmark says why not.
std::shared_ptr<const Backend> backend_of(benchmark::State& state, std::int64_t where) {
  if (where == kCpu) return make_cpu_backend(2);  // as the goals are said, however many cores are here
  try {
    return make_gpu_backend();
  } catch (const Error& error) {
    state.SkipWithError(error.what());
    return nullptr;
  }
}

// Useful operations of a layer of self-attention, causal, as headscope-cli bench counts them.
double operations_of_layer(std::int64_t tokens) {
  const double rows = static_cast<double>(tokens), width = 1024;
  return 2 * 4 * width * width * rows + 4 * width * rows * (rows + 1) / 2;
}

Request layer_of(std::int64_t tokens) {
  Request request;
  request.phrase = phrase_of(tokens);
  request.embedding = Embedding::sequence;
  request.input_dim = request.d_model = 1024;
  request.heads = 16;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

// Runs a layer as long as it is measured, with stages of so many bytes kept, and reads its output. The memory of stages
// passes from run to run, as the window has it.
void run_layer(benchmark::State& state, std::int64_t stage_memory) {
  const std::int64_t tokens = state.range(0);
  const auto backend = backend_of(state, state.range(1));
  if (backend == nullptr) return;
  if (state.range(1) == kGpu && is_software_renderer(backend->description())) {
    state.SkipWithError("this driver computes on the processor, and would take minutes");
    return;
  }
  const Request request = layer_of(tokens);
  InputCache cache;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache));
  ForwardOptions options;
  options.stage_memory = stage_memory;
  StageBuffers buffers(stage_memory);
  options.buffers = &buffers;
  std::vector<float> output(static_cast<std::size_t>(tokens * 1024));
  bool kept = false;
  const auto run = [&] {
    const auto trace = forward(request, inputs, backend, CancelToken(), options);
    buffers.complete();
    trace->tensor(StageId::output).read(whole({1, tokens, 1024}), output);
    benchmark::DoNotOptimize(output.data());
    kept = trace->tensor(StageId::weights).stored();
  };
  for (int warm = 0; warm < 2; ++warm) run();
  if (kept != (stage_memory > 0)) {
    state.SkipWithError("other stages are kept than is measured here");
    return;
  }
  for ([[maybe_unused]] const auto each : state) run();
  state.counters["operations"] =
      benchmark::Counter(operations_of_layer(tokens), benchmark::Counter::kIsIterationInvariantRate);
}

// A layer of self-attention, d_model 1024, 16 heads, causal, all weights in memory afterwards: tokens, where.
void layer(benchmark::State& state) {
  run_layer(state, std::int64_t{16} << 30);
}
BENCHMARK(layer)
    ->ArgNames({"tokens", "gpu"})
    ->ArgsProduct({{64, 1024, 4096}, {kCpu, kGpu}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The same layer when its weights are computed only where they are looked at: tokens, where.
void layer_on_demand(benchmark::State& state) {
  run_layer(state, 0);
}
BENCHMARK(layer_on_demand)
    ->ArgNames({"tokens", "gpu"})
    ->ArgsProduct({{1024, 4096}, {kCpu, kGpu}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// A tile of 256 by 256 weights in the middle of a causal map of 32,768 tokens, with the statistics of its rows: where.
void tile_of_large_map(benchmark::State& state) {
  const auto backend = backend_of(state, state.range(0));
  if (backend == nullptr) return;
  const MadeMap map(32768, true);
  const auto cells = map.source(backend).first;
  std::vector<float> out(256 * 256);
  cells->read_scores(StageId::weights, {{0, 1}, {0, 1}, {20000, 20256}, {9984, 10240}}, out);  // statistics are kept
  for ([[maybe_unused]] const auto each : state) {
    cells->read_scores(StageId::weights, {{0, 1}, {0, 1}, {20000, 20256}, {9984, 10240}}, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(tile_of_large_map)->ArgName("gpu")->Arg(kCpu)->Arg(kGpu)->Unit(benchmark::kMillisecond)->UseRealTime();

constexpr const char* kMultiplyAdds = R"glsl(#version 430 core
layout(local_size_x = 256) in;
layout(std430, binding = 0) writeonly buffer Result { float result[]; };
void main() {
  float start = float(gl_LocalInvocationID.x) * 0.001;
  vec4 factor = vec4(0.999, 0.998, 0.997, 0.996);
  vec4 a = vec4(start), b = a + 1.0, c = a + 2.0, d = a + 3.0, e = a + 4.0, f = a + 5.0, g = a + 6.0, h = a + 7.0;
  for (int step = 0; step < 512; ++step) {
    a = fma(a, factor, factor);
    b = fma(b, factor, factor);
    c = fma(c, factor, factor);
    d = fma(d, factor, factor);
    e = fma(e, factor, factor);
    f = fma(f, factor, factor);
    g = fma(g, factor, factor);
    h = fma(h, factor, factor);
  }
  vec4 all = a + b + c + d + e + f + g + h;
  result[gl_GlobalInvocationID.x] = all.x + all.y + all.z + all.w;
})glsl";

// Multiply-adds of the device that stay in registers: eight chains of four numbers a thread, 512 long. The label says
// which device and driver it is.
void device_peak(benchmark::State& state) {
  try {
    const auto context = make_offscreen_context();
    const auto text = [](GLenum name) { return std::string(reinterpret_cast<const char*>(glGetString(name))); };
    state.SetLabel(text(GL_RENDERER) + "; " + text(GL_VERSION));
    const GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    glShaderSource(shader, 1, &kMultiplyAdds, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    check_gl("compiling multiply-adds");
    ComputeBuffer result;
    constexpr std::int64_t kThreads = 256, kSteps = 512, kChains = 8 * 4;
    // A driver that computes on the processor would take seconds for what a card does in a millisecond.
    const std::int64_t groups = text(GL_RENDERER).find("llvmpipe") == std::string::npos ? 4096 : 64;
    result.reserve(groups * kThreads);
    result.bind(0);
    glUseProgram(program);
    const auto run = [&] {
      glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
      glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
      glFinish();
    };
    run();
    for ([[maybe_unused]] const auto each : state) run();
    check_gl("measuring multiply-adds");
    state.counters["operations"] = benchmark::Counter(static_cast<double>(2 * groups * kThreads * kSteps * kChains),
                                                      benchmark::Counter::kIsIterationInvariantRate);
    glDeleteProgram(program);
    glDeleteShader(shader);
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(device_peak)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace headscope
