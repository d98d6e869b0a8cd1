// What is computed when read has the bits of what is kept.
#include "core/attention/on_demand.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request with(std::initializer_list<std::pair<const char*, const char*>> options) {
  Request request = phrase_request();
  for (const auto& [name, text] : options) find_request_option(name)->set(request, text);
  return request;
}

std::shared_ptr<const Trace> kept(const Request& request, const Inputs& inputs,
                                  const std::shared_ptr<const Backend>& backend) {
  return forward(request, std::make_shared<const Inputs>(inputs), backend, CancelToken());
}

std::shared_ptr<const Trace> on_demand(const Request& request, const Inputs& inputs,
                                       const std::shared_ptr<const Backend>& backend) {
  ForwardOptions options;
  options.stage_memory = 0;
  return forward(request, std::make_shared<const Inputs>(inputs), backend, CancelToken(), options);
}

TEST(OnDemand, EveryStageHasTheBitsOfTheKeptOne) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);
  for (const Request& request :
       {with({}), with({{"mask", "causal"}}), with({{"mask", "causal,padding:1"}, {"merge", "direct"}}),
        with({{"mask", "window:1"}, {"mask-order", "before-scale"}, {"mask-fill", "-1e20"}}),
        with({{"softcap", "0.5"}, {"dropout", "0.25"}, {"ablate", "0.1"}}),
        with({{"mask", "padding:5"}, {"fully-masked", "uniform"}}),
        with({{"variant", "mask-after-softmax"}, {"mask", "causal"}})}) {
    for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
      const auto stored = kept(request, inputs, backend);
      const auto computed = on_demand(request, inputs, backend);
      ASSERT_NE(computed->on_demand, nullptr);
      ASSERT_EQ(stored->on_demand, nullptr);
      ASSERT_EQ(computed->stages.size(), stored->stages.size());
      for (std::size_t k = 0; k < stored->stages.size(); ++k) {
        const Stage& a = stored->stages[k];
        const Stage& b = computed->stages[k];
        EXPECT_EQ(a.operation, b.operation);
        EXPECT_TRUE(same_bits(a.tensor.dense_copy(), b.tensor.dense_copy()))
            << backend->name() << " " << stage_name(a.id);
      }
      EXPECT_FALSE(computed->tensor(StageId::weights).stored());
      EXPECT_FALSE(computed->tensor(StageId::context).stored());
    }
  }
}

TEST(OnDemand, ARegionIsThatPartOfTheWhole) {
  const Request request = with({{"mask", "causal"}, {"dropout", "0.25"}, {"merge", "direct"}});
  for (const auto& backend : {make_reference_backend(), make_cpu_backend(2)}) {
    const auto stored = kept(request, fused_inputs(QkvLayout::blocked), backend);
    const auto computed = on_demand(request, fused_inputs(QkvLayout::blocked), backend);
    for (const Stage& stage : stored->stages) {
      const Tensor& tensor = computed->tensor(stage.id);
      Region region = whole(tensor.shape());
      for (int axis = tensor.rank() - 2; axis < tensor.rank(); ++axis) {
        region[axis] = {tensor.dim(axis) / 3, tensor.dim(axis) - 1};
      }
      std::vector<float> found(static_cast<std::size_t>(element_count(region)));
      std::vector<float> wanted(found.size());
      tensor.read(region, found);
      stage.tensor.read(region, wanted);
      EXPECT_EQ(found, wanted) << stage_name(stage.id);
      Index last;
      for (int axis = 0; axis < tensor.rank(); ++axis) last.push_back(tensor.dim(axis) - 1);
      EXPECT_EQ(tensor.at(last), stage.tensor.at(last)) << stage_name(stage.id);
    }
  }
}

TEST(OnDemand, RowsAreComputedOnceAndCounted) {
  const auto computed = on_demand(with({}), fused_inputs(QkvLayout::per_head), make_cpu_backend(1));
  const OnDemand& source = *computed->on_demand;
  EXPECT_EQ(source.known_rows(), 0);
  computed->tensor(StageId::raw_scores).at({0, 0, 0, 0});
  EXPECT_EQ(source.known_rows(), 0) << "a score needs no row";
  computed->tensor(StageId::weights).at({0, 0, 0, 0});
  EXPECT_EQ(source.known_rows(), 5);
  computed->tensor(StageId::weights).values();
  EXPECT_EQ(source.known_rows(), source.rows());
}

// Rows of which nothing is known are read while their statistics are made; others by those.
TEST(OnDemand, AnyOrderOfReadingGivesTheSameBits) {
  const Inputs inputs =
      fused_inputs(QkvLayout::per_head, {.batch = 2, .len = 70, .input_dim = 7, .heads = 2, .head_dim = 3});
  Request request = with({{"mask", "causal"}, {"dropout", "0.2"}});
  request.phrase.clear();
  for (int i = 0; i < 70; ++i) request.phrase += "w" + std::to_string(i) + " ";
  const auto backend = make_cpu_backend(2);
  const auto stored = kept(request, inputs, backend);
  const Region reads[] = {{{0, 1}, {0, 1}, {16, 48}, {0, 70}}, {{0, 2}, {0, 2}, {0, 32}, {0, 9}},
                          {{1, 2}, {0, 2}, {40, 60}, {0, 70}}, {{0, 1}, {1, 2}, {64, 70}, {0, 70}},
                          {{0, 2}, {1, 2}, {16, 64}, {5, 70}}, {{0, 2}, {0, 2}, {0, 70}, {0, 70}}};
  for (std::size_t first = 0; first < std::size(reads); ++first) {
    const auto computed = on_demand(request, inputs, backend);
    for (std::size_t k = 0; k < std::size(reads); ++k) {
      const Region& region = reads[(first + k) % std::size(reads)];
      for (const StageId stage : {StageId::weights, StageId::dropped_weights}) {
        std::vector<float> found(static_cast<std::size_t>(element_count(region))), wanted(found.size());
        computed->tensor(stage).read(region, found);
        stored->tensor(stage).read(region, wanted);
        ASSERT_EQ(found, wanted) << stage_name(stage) << ", beginning with " << first << ", read " << k;
      }
    }
    EXPECT_EQ(computed->on_demand->known_rows(), computed->on_demand->rows());
    const RowStatistics rows = computed->on_demand->statistics({{0, 2}, {0, 2}, {0, 70}});
    EXPECT_EQ(rows.max.values(), stored->row_statistics.max.values());
    EXPECT_EQ(rows.sum.values(), stored->row_statistics.sum.values());
  }
}

TEST(OnDemand, SeveralThreadsReadTheSame) {
  const Request request = with({{"mask", "causal"}});
  const auto backend = make_cpu_backend(2);
  const auto stored = kept(request, fused_inputs(QkvLayout::per_head), backend);
  const auto computed = on_demand(request, fused_inputs(QkvLayout::per_head), backend);
  std::vector<std::vector<float>> found(4);
  std::vector<std::thread> threads;
  for (auto& values : found) {
    threads.emplace_back([&] { values = computed->tensor(StageId::output).values(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& values : found) EXPECT_EQ(values, stored->tensor(StageId::output).values());
}

TEST(OnDemand, MistakesThatNeedEveryStageKeepThem) {
  const auto trace =
      on_demand(with({{"variant", "softmax-over-queries"}}), fused_inputs(QkvLayout::per_head), make_cpu_backend(1));
  EXPECT_EQ(trace->on_demand, nullptr);
  EXPECT_TRUE(trace->tensor(StageId::raw_scores).stored());
}

}  // namespace
}  // namespace headscope
