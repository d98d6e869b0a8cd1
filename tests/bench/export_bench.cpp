// Exports: what a large map costs on its way into a file. Streams that forget what they get, so that no disk is timed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "core/io/csv.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {
namespace {

struct Nowhere : std::streambuf {
  std::int64_t bytes = 0;
  std::streamsize xsputn(const char*, std::streamsize count) override {
    bytes += count;
    return count;
  }
  int_type overflow(int_type c) override {
    ++bytes;
    return traits_type::not_eof(c);
  }
};

enum Kind { dense_noise, causal_noise, causal_weights };

// What a row of a map holds, made anew at each read as an engine would: a table of 64 Ki values, begun at another place
// in each row. Noise: something like normal, within -4 and 4. Weights: positive, few of them large, rows that sum up
// to about one.
Tensor made_map(std::int64_t size, Kind kind) {
  std::vector<float> table(std::size_t{1} << 17);
  std::uint32_t state = 1;
  for (std::size_t k = 0; k < table.size() / 2; ++k) {
    float sum = 0;
    for (int part = 0; part < 4; ++part) {
      state = state * 1664525U + 1013904223U;
      sum += static_cast<float>(state >> 8) / 8388608.0F - 1;
    }
    table[k] = kind == causal_weights ? std::exp(3 * sum) / 2000 : sum;
  }
  std::copy_n(table.begin(), table.size() / 2, table.begin() + static_cast<std::ptrdiff_t>(table.size() / 2));
  return Tensor::computed({size, size}, {Axis::query, Axis::key},
                          [table, kind](const Region& region, std::span<float> out) {
                            float* to = out.data();
                            for (std::int64_t i = region[0].begin; i < region[0].end; ++i) {
                              const float* from = table.data() + static_cast<std::size_t>(i * 7919) % 50000;
                              for (std::int64_t j = region[1].begin; j < region[1].end; ++j) {
                                *to++ = kind != dense_noise && j > i ? 0.0F : from[j % 65536];
                              }
                            }
                          });
}

HeatmapSpec whole_map(const Tensor& matrix, Kind kind) {
  HeatmapSpec spec;
  spec.matrix = matrix;
  spec.rows = static_cast<double>(matrix.dim(0));
  spec.columns = static_cast<double>(matrix.dim(1));
  spec.width = static_cast<int>(matrix.dim(1));
  spec.height = static_cast<int>(matrix.dim(0));
  spec.range = kind == causal_weights ? ValueRange{0, 1} : ValueRange{-4, 4};
  spec.map = kind == causal_weights ? ColorMap::viridis : ColorMap::icefire;
  if (kind != dense_noise) {
    MaskRule rule;
    rule.open = 0;  // causal
    auto mask = std::make_shared<Mask>();
    mask->hidden = HiddenCells(1, 1, matrix.dim(0), matrix.dim(1), rule);
    spec.mask = mask;
  }
  return spec;
}

PictureRows rows_of_map(const HeatmapSpec& spec) {
  const auto painter = std::make_shared<HeatmapPainter>(spec);
  PictureRows rows;
  rows.width = spec.width;
  rows.height = spec.height;
  rows.rows_at_once = std::min(painter->rows_at_once(), spec.height);
  rows.load = [painter](Range part) { painter->load(static_cast<int>(part.begin), static_cast<int>(part.end)); };
  rows.draw = [painter](Range part, Image& into) {
    painter->draw(static_cast<int>(part.begin), static_cast<int>(part.end), into.pixels.data(), into.width, into.width);
  };
  return rows;
}

// Arguments: cells of each axis, Kind.
void png_of_map(benchmark::State& state) {
  const Kind kind = static_cast<Kind>(state.range(1));
  const HeatmapSpec spec = whole_map(made_map(state.range(0), kind), kind);
  std::int64_t bytes = 0;
  for (auto _ : state) {
    Nowhere nowhere;
    std::ostream out(&nowhere);
    write_png(out, rows_of_map(spec), {});
    bytes = nowhere.bytes;
  }
  state.SetItemsProcessed(state.iterations() * spec.matrix.size());
  state.counters["bytes_a_pixel"] = static_cast<double>(bytes) / static_cast<double>(spec.matrix.size());
}
BENCHMARK(png_of_map)
    ->ArgNames({"cells", "kind"})
    ->ArgsProduct({{2048, 8192}, {dense_noise, causal_noise, causal_weights}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// The share of it that is drawing.
void colors_of_map(benchmark::State& state) {
  const Kind kind = static_cast<Kind>(state.range(1));
  HeatmapSpec spec = whole_map(made_map(state.range(0), kind), kind);
  spec.matrix = spec.matrix.dense_copy();
  HeatmapPainter painter(spec);
  painter.load(0, spec.height);
  Image strip(spec.width, 32);
  for (auto _ : state) {
    for (int y = 0; y < spec.height; y += 32) painter.draw(y, y + 32, strip.pixels.data(), spec.width, spec.width);
    benchmark::DoNotOptimize(strip.pixels.data());
  }
  state.SetItemsProcessed(state.iterations() * spec.matrix.size());
}
BENCHMARK(colors_of_map)
    ->ArgNames({"cells", "kind"})
    ->ArgsProduct({{4096}, {dense_noise, causal_noise}})
    ->Unit(benchmark::kMillisecond);

void csv_of_map(benchmark::State& state) {
  const Tensor matrix = made_map(state.range(0), static_cast<Kind>(state.range(1)));
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < matrix.dim(0); ++i) names.push_back(std::string("w").append(std::to_string(i)));
  for (auto _ : state) {
    Nowhere nowhere;
    std::ostream out(&nowhere);
    write_csv_matrix(out, matrix, "query\\key", names, names);
  }
  state.SetItemsProcessed(state.iterations() * matrix.size());
}
BENCHMARK(csv_of_map)
    ->ArgNames({"cells", "kind"})
    ->ArgsProduct({{1024, 4096}, {dense_noise, causal_weights}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void npy_of_map(benchmark::State& state) {
  const Tensor matrix = made_map(state.range(0), dense_noise);
  for (auto _ : state) {
    Nowhere nowhere;
    std::ostream out(&nowhere);
    write_npy(out, matrix);
  }
  state.SetBytesProcessed(state.iterations() * 4 * matrix.size());
}
BENCHMARK(npy_of_map)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headscope
