// A driver that adds up rows wrongly is found out.
#include "app/gl/weight_totals.h"

#include <functional>
#include <thread>

#include "app/gl/offscreen.h"
#include "tests/app/gl/compute_fixture.h"
#include "tests/app/gl/not_finite.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr std::int64_t kHeads = 3, kQueries = 5, kKeys = 300;

// A context is current on one thread: the device has one of its own.
class WeightTotalsGlTest : public ComputeTest {
 protected:
  static void on_device(const std::function<void(ComputeDevice&)>& work) {
    std::thread([&] {
      ComputeDevice device{GpuOptions()};
      work(device);
    }).join();
  }
};

const Region kCells{{0, 1}, {0, kHeads}, {0, kQueries}, {0, kKeys}};
const Region kRows{{0, 1}, {0, kHeads}, {0, kQueries}};

Tensor even_weights() {
  Tensor weights = Tensor::zeros({1, kHeads, kQueries, kKeys}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  std::fill_n(weights.mutable_data(), weights.size(), 1.0F / kKeys);
  return weights;
}

RowStatistics known_statistics() {
  const Axes axes{Axis::batch, Axis::head, Axis::query};
  RowStatistics known{Tensor::zeros({1, kHeads, kQueries}, axes), Tensor::zeros({1, kHeads, kQueries}, axes)};
  std::fill_n(known.sum.mutable_data(), known.sum.size(), 20.0F);
  return known;
}

// "" when nothing is wrong.
std::string verdict(ComputeDevice& device, const Tensor& weights, const RowStatistics& known, const ScoreRule& rule) {
  try {
    device.forget();  // the weights may have changed since
    device.buffers->result.upload(weights, whole(weights.shape()));
    make_totals(device, kCells);
    check_totals(device, rule, kCells, known, kRows);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(WeightTotalsGlTest, ATermThatIsLostOrAddedInOneRowIsFound) {
  on_device([](ComputeDevice& device) {
    const ScoreRule rule;
    EXPECT_EQ(verdict(device, even_weights(), known_statistics(), rule), "");
    for (const float other : {0.0F, 2.0F / kKeys}) {
      Tensor weights = even_weights();
      weights.mutable_data()[(kQueries + 2) * kKeys + 299] = other;  // of head 1
      EXPECT_NE(verdict(device, weights, known_statistics(), rule).find("a row of weights sums to"), std::string::npos);
    }
  });
}

TEST_F(WeightTotalsGlTest, RowsWithoutASumAreNotJudged) {
  on_device([](ComputeDevice& device) {
    ScoreRule rule;
    Tensor weights = even_weights();
    std::fill_n(weights.mutable_data(), kKeys, kNan);
    RowStatistics known = known_statistics();
    known.max.mutable_data()[0] = kNan;
    EXPECT_EQ(verdict(device, weights, known, rule), "");
    std::fill_n(weights.mutable_data(), kKeys, 0.0F);
    known = known_statistics();
    EXPECT_NE(verdict(device, weights, known, rule), "") << "a row of zeros, unasked";
    rule.fully_masked = FullyMasked::zero;
    EXPECT_EQ(verdict(device, weights, known, rule), "");
  });
}

}  // namespace
}  // namespace headscope
