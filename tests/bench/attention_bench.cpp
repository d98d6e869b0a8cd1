// The middle of attention: rows of softmax, whole passes with and without weights kept, tiles read on demand.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "core/backend/backend.h"

namespace headscope {
namespace {

Tensor random_tensor(const Shape& shape, const Axes& axes, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  for (float& value : values) value = static_cast<float>(generator() >> 8) / 8388608.0F - 1.0F;
  return Tensor::of(shape, axes, std::move(values));
}

const Axes kHeadAxes{Axis::batch, Axis::head, Axis::position, Axis::feature};

struct Problem {
  Tensor query, key, value;
  ScoreRule rule;
  QueryRange all;
  ScoreOperands score_operands() const { return {.query = query, .key = key, .rule = rule}; }
};

Problem causal_problem(std::int64_t tokens, std::int64_t heads, std::int64_t head_dim) {
  const Shape shape{1, heads, tokens, head_dim};
  Problem problem{random_tensor(shape, kHeadAxes, 1),
                  random_tensor(shape, kHeadAxes, 2),
                  random_tensor(shape, kHeadAxes, 3),
                  {},
                  {{0, 1}, {0, heads}, {0, tokens}}};
  MaskRule causal;
  causal.open = 0;
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, tokens, tokens, causal);
  problem.rule.mask = mask;
  problem.rule.scale = 0.125;
  return problem;
}

AttentionResults results_of(const Problem& problem, bool weights) {
  const std::int64_t heads = problem.query.dim(1), tokens = problem.query.dim(2);
  const Axes score_axes{Axis::batch, Axis::head, Axis::query, Axis::key};
  const Axes row_axes{Axis::batch, Axis::head, Axis::query};
  AttentionResults results;
  if (weights) results.weights = Tensor::zeros({1, heads, tokens, tokens}, score_axes);
  results.statistics = {Tensor::zeros({1, heads, tokens}, row_axes), Tensor::zeros({1, heads, tokens}, row_axes)};
  results.context = Tensor::zeros(problem.value.shape(), kHeadAxes);
  return results;
}

// A causal pass, 64 features a head. Work: two products of which the visible half counts.
void attention_pass(benchmark::State& state) {
  const std::int64_t tokens = state.range(0), heads = state.range(1), head_dim = 64;
  const Problem problem = causal_problem(tokens, heads, head_dim);
  const auto backend = make_cpu_backend(static_cast<int>(state.range(2)));
  AttentionResults results = results_of(problem, state.range(3) != 0);
  const CancelToken cancel;
  for (auto _ : state) {
    backend->attention(problem.score_operands(), problem.value, problem.all, results, cancel);
    benchmark::ClobberMemory();
  }
  const double visible = 0.5 * static_cast<double>(tokens) * static_cast<double>(tokens + 1);
  const double work = 4.0 * visible * static_cast<double>(heads * head_dim);
  state.counters["GFLOP/s"] = benchmark::Counter(work * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(attention_pass)
    ->ArgNames({"tokens", "heads", "threads", "weights"})
    ->ArgsProduct({{4, 16, 64, 256, 1024, 4096}, {12}, {1, 2}, {0, 1}})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

// A 256 x 256 tile of one head of 32,768 tokens, its rows' statistics known.
void weight_tile(benchmark::State& state) {
  constexpr std::int64_t kTokens = 32768, kTile = 256;
  const Problem problem = causal_problem(kTokens, 1, 64);
  const auto backend = make_cpu_backend(static_cast<int>(state.range(0)));
  const Region region{{0, 1}, {0, 1}, {kTokens - kTile, kTokens}, {kTokens / 2, kTokens / 2 + kTile}};
  AttentionResults rows;
  const Axes row_axes{Axis::batch, Axis::head, Axis::query};
  rows.statistics = {Tensor::zeros({1, 1, kTile}, row_axes), Tensor::zeros({1, 1, kTile}, row_axes)};
  const CancelToken cancel;
  backend->attention(problem.score_operands(), {}, {region[0], region[1], region[2]}, rows, cancel);
  std::vector<float> out(kTile * kTile);
  for (auto _ : state) {
    backend->read_scores(problem.score_operands(),
                         {.stage = StageId::weights, .region = region, .statistics = &rows.statistics}, out, cancel);
    benchmark::ClobberMemory();
  }
  const double work = 2.0 * kTile * kTile * 64;
  state.counters["GFLOP/s"] = benchmark::Counter(work * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(weight_tile)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseRealTime();

// One cell of the same matrix.
void weight_cell(benchmark::State& state) {
  constexpr std::int64_t kTokens = 32768;
  const Problem problem = causal_problem(kTokens, 1, 64);
  const auto backend = make_cpu_backend(1);
  const Axes row_axes{Axis::batch, Axis::head, Axis::query};
  const RowStatistics rows{Tensor::of({1, 1, 1}, row_axes, {1.0F}), Tensor::of({1, 1, 1}, row_axes, {1e4F})};
  const Region region{{0, 1}, {0, 1}, {kTokens - 1, kTokens}, {777, 778}};
  float out = 0;
  for (auto _ : state) {
    backend->read_scores(problem.score_operands(), {.stage = StageId::weights, .region = region, .statistics = &rows},
                         {&out, 1}, {});
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK(weight_cell)->Unit(benchmark::kNanosecond);

// Softmax of scores that are there, rows of 1,024.
void softmax_rows(benchmark::State& state) {
  const Tensor scores = random_tensor({1, 1, 64, 1024}, {Axis::batch, Axis::head, Axis::query, Axis::key}, 5);
  const auto backend = make_cpu_backend(1);
  for (auto _ : state) benchmark::DoNotOptimize(backend->softmax_rows(scores, nullptr, {}));
  state.SetItemsProcessed(state.iterations() * scores.size());
}
BENCHMARK(softmax_rows)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headscope
