// A large map to its picture: pooled where the GPU backend computes it, against the way by the program's memory.
#include <benchmark/benchmark.h>
#include <epoxy/gl.h>

#include <memory>

#include "app/gl/compute_backend.h"
#include "app/gl/gl_texture_store.h"
#include "app/gl/offscreen.h"
#include "app/session/background/maps/map_tiles.h"
#include "tests/bench/made_map.h"

namespace headscope {
namespace {

// One head of weights under a causal mask, 64 features, into the heatmap of all of it: at most 1024 pixels a side.
// Arguments: tokens; 0: by the CPU backend, 1: by the GPU backend and back, 2: left on the device.
void map_to_picture(benchmark::State& state) {
  const std::int64_t tokens = state.range(0);
  const auto window = make_offscreen_context();
  const auto store = GlTextureStore::make();
  GpuOptions options;
  if (state.range(1) == 2) options.make_context = [&] { return make_sharing_context(*window, store->share()); };
  const auto backend = state.range(1) == 0 ? make_cpu_backend(0) : make_gpu_backend(options);
  const MadeMap map(tokens, true);
  const auto draw = [&] {
    auto [cells, source] = map.source(backend);
    source.device = cells->device_pyramid(StageId::weights, 0, 0);
    MapTiles maps(
        make_inline_executor(), [] {}, MapTiles::Options());
    const std::int64_t each = cells_a_pixel(tokens, 1024);
    const MapQuery query = query_of_all({}, source.matrix, Pooling::max, {each, each});
    maps.want(query, source, 0);
    maps.end_frame();
    const auto picture = maps.want(query, source, 0);
    HeatmapSpec spec;
    spec.matrix = picture->matrix;
    spec.mask = picture->mask;
    spec.device = picture->device;
    spec.rows = spec.columns = static_cast<double>(picture->matrix.dim(0));
    spec.width = spec.height = static_cast<int>(picture->matrix.dim(0));
    store->heatmap(spec);
    glFinish();
    store->end_frame();
  };
  draw();  // shaders are compiled, threads start
  for ([[maybe_unused]] const auto each : state) draw();
}
BENCHMARK(map_to_picture)
    ->ArgNames({"tokens", "way"})
    ->ArgsProduct({{2048, 8192}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace headscope
