// A large map to its picture: pooled where the GPU backend computes it, against the way by the program's memory.
#include <benchmark/benchmark.h>

#include <memory>

#include "app/gl/compute_backend.h"
#include "app/gl/gl_texture_store.h"
#include "app/gl/offscreen.h"
#include "app/session/map_tiles.h"
#include "core/attention/on_demand.h"

namespace headscope {
namespace {

Tensor made(Shape shape, std::uint32_t state) {
  Tensor tensor = Tensor::zeros(shape, {Axis::batch, Axis::head, Axis::position, Axis::feature});
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    tensor.mutable_data()[i] = static_cast<float>(state >> 8) / 8388608.0F - 1;
  }
  return tensor;
}

// One head of weights under a causal mask, 64 features, into the heatmap of all of it: at most 1024 pixels a side.
// Arguments: tokens; 0: by the CPU backend, 1: by the GPU backend and back, 2: left on the device.
void map_to_picture(benchmark::State& state) {
  const std::int64_t tokens = state.range(0);
  const auto window = make_offscreen_context();
  const auto store = GlTextureStore::make();
  GpuOptions options;
  if (state.range(1) == 2) options.make_context = [&] { return make_sharing_context(*window, store->share()); };
  const auto backend = state.range(1) == 0 ? make_cpu_backend(0) : make_gpu_backend(options);
  const Tensor query = made({1, 1, tokens, 64}, 1), key = made({1, 1, tokens, 64}, 2);
  ScoreRule rule;
  rule.scale = 0.125;
  MaskRule causal;
  causal.open = 0;
  rule.mask = std::make_shared<const Mask>(Mask{HiddenCells(1, 1, tokens, tokens, causal), {}});
  for (auto _ : state) {
    const auto cells = std::make_shared<const OnDemand>(backend, query, key, Tensor(), rule);
    PyramidSource source;
    source.matrix = Tensor::computed(
        {tokens, tokens}, {Axis::query, Axis::key}, [cells](const Region& region, std::span<float> out) {
          cells->read_scores(StageId::weights, {{0, 1}, {0, 1}, region[0], region[1]}, out);
        });
    source.mask = rule.mask;
    source.device = cells->device_pyramid(StageId::weights, 0, 0);
    MapTiles maps(
        make_inline_executor(), [] {}, MapTiles::Options());
    const std::int64_t each = cells_a_pixel(tokens, 1024);
    const MapWish wish = wish_for_all({}, source.matrix, Pooling::max, {each, each});
    maps.want(wish, source, 0);
    maps.end_frame();
    const auto picture = maps.want(wish, source, 0);
    HeatmapSpec spec;
    spec.matrix = picture->matrix;
    spec.mask = picture->mask;
    spec.device = picture->device;
    spec.rows = spec.columns = static_cast<double>(picture->matrix.dim(0));
    spec.width = spec.height = static_cast<int>(picture->matrix.dim(0));
    store->read_back(store->heatmap(spec));  // waits until it is drawn
    store->end_frame();
  }
}
BENCHMARK(map_to_picture)
    ->ArgNames({"tokens", "way"})
    ->ArgsProduct({{2048, 8192}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace headscope
