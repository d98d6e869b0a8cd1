// The maps of heads against what a run of the model makes of its input, for every golden model.
#include "core/circuits/head_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "tests/core/circuits/circuits_models.h"

namespace headscope {
namespace {

// The golden models whose heads are maps of the stream.
std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models")) {
    const std::string name = entry.path().filename();
    const bool held = name == "mpt-held" || name == "mpt-normed";  // within bounds, which no map knows of
    if (!held && !name.starts_with("deepseek")) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::shared_ptr<const Trace> run_of(const std::string& name, std::vector<std::int64_t> ids, std::int64_t layer) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = std::move(ids);
  request.layer = layer;
  request.backend = BackendChoice::reference;
  return Engine().run(request, {});
}

// Row f of matrix m times the difference of two inputs of the layer at position i.
double applied(const Tensor& stack, std::int64_t m, std::int64_t f, const Tensor& x, const Tensor& y, std::int64_t i) {
  double sum = 0;
  for (std::int64_t d = 0; d < stack.dim(2); ++d) sum += stack.at({m, f, d}) * (x.at({0, i, d}) - y.at({0, i, d}));
  return sum;
}

// How far a stage of two runs is from what the maps make of the difference of their inputs: biases fall out.
double apart(const Tensor& stack, const Trace& one, const Trace& other, StageId stage, std::int64_t position) {
  const Tensor& of_one = one.tensor(stage);
  const Tensor& of_other = other.tensor(stage);
  double largest = 0, difference = 0;
  for (std::int64_t m = 0; m < stack.dim(0); ++m) {
    for (std::int64_t f = 0; f < stack.dim(1); ++f) {
      const double wanted = applied(stack, m, f, one.tensor(StageId::input), other.tensor(StageId::input), position);
      const double found = of_one.at({0, m, position, f}) - of_other.at({0, m, position, f});
      largest = std::max(largest, std::fabs(wanted));
      difference = std::max(difference, std::fabs(found - wanted));
    }
  }
  return difference / std::max(1.0, largest);
}

TEST(HeadMaps, AreRefusedOfLatents) {
  for (const char* name : {"deepseek_v2", "deepseek_v3"}) {
    const auto checkpoint = circuits_model(name);
    ASSERT_TRUE(checkpoint->architecture().latents) << name;
    EXPECT_THROW(head_maps(*checkpoint, 0, NormFolding::fold), UsageError) << name;
  }
}

TEST(HeadMaps, MakeOfTheInputWhatTheModelMakesOfIt) {
  int models = 0;
  for (const std::string& name : names()) {
    SCOPED_TRACE(name);
    const auto checkpoint = circuits_model(name);
    const Architecture& architecture = checkpoint->architecture();
    for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
      const HeadMaps maps = head_maps(*checkpoint, layer, NormFolding::ignore);
      const auto one = run_of(name, {3, 1, 4}, layer), other = run_of(name, {5, 9, 2}, layer);
      ASSERT_EQ(maps.heads(), one->num_heads());
      EXPECT_EQ(maps.dimensions, architecture.d_model);
      EXPECT_TRUE(apart(maps.value, *one, *other, StageId::value, 2) <= 2e-5);
      // Position 0 is turned by no angle.
      const bool plain = !architecture.head_norm && !architecture.rotary_of(layer);
      const bool turned = architecture.rotary_of(layer) && architecture.rotary_of(layer)->factor == 1;
      if (plain || (turned && !architecture.head_norm)) {
        EXPECT_TRUE(apart(maps.query, *one, *other, StageId::query, 0) <= 2e-5);
        EXPECT_TRUE(apart(maps.key, *one, *other, StageId::key, 0) <= 2e-5);
      }
      // What every head's context is written as, summed.
      const Tensor &output = one->tensor(StageId::output), &other_output = other->tensor(StageId::output);
      for (std::int64_t d = 0; d < architecture.d_model; ++d) {
        double sum = 0;
        for (std::int64_t h = 0; h < maps.heads(); ++h) {
          for (std::int64_t f = 0; f < maps.output.dim(1); ++f) {
            sum += maps.output.at({h, f, d}) *
                   (one->tensor(StageId::context).at({0, h, 1, f}) - other->tensor(StageId::context).at({0, h, 1, f}));
          }
        }
        EXPECT_TRUE(std::fabs(output.at({0, 1, d}) - other_output.at({0, 1, d}) - sum) <=
                    2e-5 * std::max(1.0, std::fabs(sum)))
            << layer << ", " << d;
      }
    }
    ++models;
  }
  EXPECT_GT(models, 30);
}

// With the norms folded in, a map of what enters the norm, times its scale, is the map of what leaves it.
TEST(HeadMaps, FoldedMapsReadTheStreamItself) {
  for (const char* name : {"gpt2", "llama", "gemma2", "gpt_neox"}) {
    SCOPED_TRACE(name);
    const auto checkpoint = circuits_model(name);
    const Architecture& architecture = checkpoint->architecture();
    const HeadMaps folded = head_maps(*checkpoint, 1, NormFolding::fold),
                   plain = head_maps(*checkpoint, 1, NormFolding::ignore);
    const std::vector<float> gain = checkpoint->block(1).attention_norm.weight.values();
    const bool means = architecture.norm == Architecture::Norm::layer;
    EXPECT_EQ(folded.dimensions, architecture.d_model - (means ? 1 : 0));
    std::vector<double> stream(gain.size());
    double mean = 0;
    for (std::size_t d = 0; d < stream.size(); ++d) {
      stream[d] = std::sin(1.3 * static_cast<double>(d) + 0.2);
      mean += stream[d] / static_cast<double>(stream.size());
    }
    if (!means) mean = 0;
    for (const auto& [with, without] :
         {std::pair(&folded.query, &plain.query), {&folded.key, &plain.key}, {&folded.value, &plain.value}}) {
      for (std::int64_t f = 0; f < with->dim(1); ++f) {
        double of_stream = 0, of_normed = 0;
        for (std::size_t d = 0; d < stream.size(); ++d) {
          const auto at = static_cast<std::int64_t>(d);
          const double factor = (architecture.norm_plus_one ? 1.0 : 0.0) + gain[d];
          of_stream += with->at({0, f, at}) * stream[d];
          of_normed += without->at({0, f, at}) * factor * (stream[d] - mean);
        }
        EXPECT_TRUE(std::fabs(of_stream - of_normed) <= 1e-5) << f;
      }
    }
    if (!means) continue;
    for (std::int64_t f = 0; f < folded.output.dim(1); ++f) {
      double sum = 0;
      for (std::int64_t d = 0; d < folded.output.dim(2); ++d) sum += folded.output.at({0, f, d});
      EXPECT_TRUE(std::fabs(sum) <= 1e-5) << "nobody reads the mean";
    }
  }
}

}  // namespace
}  // namespace headscope
