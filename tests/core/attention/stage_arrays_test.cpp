// The user's own arrays in the stages of one layer: every number against plain loops.
#include "core/attention/stage_arrays.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/io/npy.h"
#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

const std::string kPhrase = "the dog ran on mats";  // 5 tokens

class StageArrays : public ::testing::Test {
 protected:
  // Three heads of four features.
  static Request layer(const std::vector<std::pair<const char*, std::string>>& more = {},
                       const std::string& phrase = kPhrase) {
    Request request;
    request.phrase = phrase;
    request.d_model = 12;
    request.heads = 3;
    request.backend = BackendChoice::cpu;
    request.threads = 2;
    for (const auto& [option, text] : more) find_request_option(option)->set(request, text);
    return request;
  }
  std::string file(const std::string& name, const Tensor& tensor) const {
    std::ofstream out(folder_ / (name + ".npy"), std::ios::binary);
    write_npy(out, tensor, CancelToken());
    return folder_ / (name + ".npy");
  }
  static std::shared_ptr<const Trace> run(const Request& request, std::int64_t stage_memory = kDefaultStageMemory) {
    EngineOptions options;
    options.stage_memory = stage_memory;
    return Engine(std::move(options)).run(request, CancelToken());
  }
  static std::string refused(const Request& request, const char* option,
                             std::int64_t stage_memory = kDefaultStageMemory) {
    try {
      run(request, stage_memory);
    } catch (const ProblemError& error) {
      EXPECT_EQ(error.problem().option, option);
      return error.what();
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), option);
      return error.what();
    }
    ADD_FAILURE() << option << " was taken";
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(StageArrays, AStagesOwnNumbersChangeNoBit) {
  const auto plain = run(layer());
  for (const Stage& stage : plain->stages) {
    const std::string name(stage_name(stage.id));
    const std::string own = file(name, stage.tensor.dense_copy());
    const auto found = run(layer({{"set", name + "=" + own}}));
    for (const Stage& each : plain->stages) {
      EXPECT_TRUE(same_bits(found->tensor(each.id), each.tensor)) << name << " " << stage_name(each.id);
    }
    EXPECT_NE(found->find(stage.id)->operation.find(fmt::format(", set to {}.npy", name)), std::string::npos);
  }
}

TEST_F(StageArrays, SetIsWhatPatchPutsInFromTheSameNumbers) {
  const Request other = layer({}, "the cat sat on mats");
  const auto a = run(other);
  EngineOptions options;
  options.read_request = [&](const std::string&) { return other; };
  for (const char* place : {"query", "key:1", "value:,3", "scores:2,4", "weights:0,2", "context:1,4", "concat:3"}) {
    const std::string name(place, std::strcspn(place, ":"));
    const std::string whole = file(name, a->tensor(*stage_named(name)).dense_copy());
    Request patched = layer({{"patch", std::string(place) + "@A"}});
    patched.patch_from = "a";
    const auto wanted = Engine(options).run(patched, CancelToken());
    const auto found = run(layer({{"set", std::string(place) + "=" + whole}}));
    for (const Stage& each : wanted->stages) {
      EXPECT_TRUE(same_bits(found->tensor(each.id), each.tensor)) << place << " " << stage_name(each.id);
    }
  }
}

TEST_F(StageArrays, EveryShapeLiesWhereItSays) {
  const auto plain = run(layer());
  const Tensor context = plain->tensor(StageId::context).dense_copy();
  const struct {
    const char* place;
    Shape shape;
    // The number of the array for head h, position i, feature d; -1: the place is not chosen.
    std::function<std::int64_t(std::int64_t h, std::int64_t i, std::int64_t d)> from;
  } cases[] = {
      {"context", {4}, [](auto, auto, auto d) { return d; }},
      {"context:1", {4}, [](auto h, auto, auto d) { return h == 1 ? d : -1; }},
      {"z:,2", {4}, [](auto, auto i, auto d) { return i == 2 ? d : -1; }},
      {"context:,-1", {4}, [](auto, auto i, auto d) { return i == 4 ? d : -1; }},
      {"context:2,1..3",
       {3, 4},
       [](auto h, auto i, auto d) { return h == 2 && i >= 1 && i <= 3 ? (i - 1) * 4 + d : -1; }},
      {"context:,-2..-1", {2, 4}, [](auto, auto i, auto d) { return i >= 3 ? (i - 3) * 4 + d : -1; }},
      {"context:,3..-1", {2, 4}, [](auto, auto i, auto d) { return i >= 3 ? (i - 3) * 4 + d : -1; }},
      {"context", {5, 4}, [](auto, auto i, auto d) { return i * 4 + d; }},
      {"context", {3, 5, 4}, [](auto h, auto i, auto d) { return (h * 5 + i) * 4 + d; }},
      {"context", {1, 3, 5, 4}, [](auto h, auto i, auto d) { return (h * 5 + i) * 4 + d; }},
      {"context:1,2", {1, 3, 5, 4}, [](auto h, auto i, auto d) { return h == 1 && i == 2 ? (h * 5 + i) * 4 + d : -1; }},
      {"context:1,2..3",
       {1, 2, 4},
       [](auto h, auto i, auto d) { return h == 1 && (i == 2 || i == 3) ? (i - 2) * 4 + d : -1; }},
  };
  for (const auto& each : cases) {
    const Tensor numbers = random_tensor(each.shape, 21);
    const std::string path = file("numbers", numbers);
    const auto found = run(layer({{"add", fmt::format("{}={}*-1.5", each.place, path)}}));
    const std::vector<float> added = numbers.values();
    for (std::int64_t h = 0; h < 3; ++h) {
      for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t d = 0; d < 4; ++d) {
          const std::int64_t from = each.from(h, i, d);
          const double more = from < 0 ? 0 : -1.5 * static_cast<double>(added[static_cast<std::size_t>(from)]);
          const double wanted = static_cast<double>(context.at({0, h, i, d})) + more;
          const auto value = static_cast<double>(found->tensor(StageId::context).at({0, h, i, d}));
          EXPECT_TRUE(std::abs(value - wanted) <= 1e-6) << each.place << " " << h << "," << i << "," << d;
        }
      }
    }
    // The output follows: W_O of the heads side by side.
    const Linear& out = found->inputs->weights.output;
    for (std::int64_t o = 0; o < 12; ++o) {
      double sum = static_cast<double>(out.bias.at({o}));
      for (std::int64_t k = 0; k < 12; ++k) {
        sum += static_cast<double>(out.weight.at({o, k})) *
               static_cast<double>(found->tensor(StageId::context).at({0, k / 4, 3, k % 4}));
      }
      EXPECT_TRUE(std::abs(static_cast<double>(found->tensor(StageId::output).at({0, 3, o})) - sum) <= 1e-5);
    }
  }
}

TEST_F(StageArrays, WhatIsProjectedOutLeavesNoPartAlongTheDirection) {
  const auto plain = run(layer());
  const Tensor direction = random_tensor({12}, 5);
  const auto found = run(layer({{"project-out", "concat:1..3=" + file("d", direction)}}));
  double square = 0;
  for (const float each : direction.values()) square += static_cast<double>(each) * static_cast<double>(each);
  for (std::int64_t i = 0; i < 5; ++i) {
    double before = 0, after = 0;
    for (std::int64_t k = 0; k < 12; ++k) {
      before += static_cast<double>(plain->tensor(StageId::concat).at({0, i, k})) * direction.at({k});
      after += static_cast<double>(found->tensor(StageId::concat).at({0, i, k})) * direction.at({k});
    }
    const bool chosen = 1 <= i && i <= 3;
    EXPECT_TRUE(chosen ? std::abs(after) <= 1e-6 : after == before) << i << ": " << after << " of " << before;
    for (std::int64_t k = 0; k < 12 && chosen; ++k) {
      const double wanted =
          plain->tensor(StageId::concat).at({0, i, k}) - before / square * static_cast<double>(direction.at({k}));
      EXPECT_TRUE(std::abs(found->tensor(StageId::concat).at({0, i, k}) - wanted) <= 1e-6) << i << " " << k;
    }
  }
}

TEST_F(StageArrays, SetActsBeforeAddBeforeProjectOutBeforeEdits) {
  const std::string ones = file("ones", tensor_of({4}, {1, 1, 1, 1})),
                    ramp = file("ramp", tensor_of({4}, {1, 2, 3, 4}));
  const auto found = run(layer({{"project-out", "context:0,1=" + ones},
                                {"add", "context:0,1=" + ramp + ";context:0,1=" + ramp + "*2"},
                                {"set", "context:0,1=7"},
                                {"edit", "context:0,0,1,3=9"},
                                {"ablate", "0.0"}}));
  // 7 + 3 ramp, less its mean; then the edit. Ablation acts before all of them.
  const double wanted[] = {-4.5, -1.5, 1.5, 9};
  for (std::int64_t d = 0; d < 4; ++d) EXPECT_EQ(found->tensor(StageId::context).at({0, 0, 1, d}), wanted[d]) << d;
  for (std::int64_t d = 0; d < 4; ++d) EXPECT_EQ(found->tensor(StageId::context).at({0, 0, 2, d}), 0) << d;
  const auto off = run(layer({{"project-out", "off:context=" + ones}, {"set", "off:context=nothing.npy"}}));
  EXPECT_TRUE(same_bits(off->tensor(StageId::output), run(layer())->tensor(StageId::output)));
}

TEST_F(StageArrays, ReadOnDemandAndOnTheReferenceTheyAreTheSame) {
  const std::string rows = file("rows", random_tensor({5, 4}, 8)), vector = file("vector", random_tensor({12}, 9));
  const std::vector<std::pair<const char*, std::string>> arrays = {
      {"set", "value:1,2..3=0.25"},
      {"add", "context:2=" + rows + ";query=" + rows},
      {"project-out", "concat=" + vector + ";output=" + vector}};
  const auto kept = run(layer(arrays)), read = run(layer(arrays), 0);
  Request plain = layer(arrays);
  plain.backend = BackendChoice::reference;
  const auto reference = run(plain);
  ASSERT_NE(read->on_demand, nullptr);
  for (const Stage& stage : kept->stages) {
    const std::vector<float> a = stage.tensor.values(), b = read->tensor(stage.id).values(),
                             c = reference->tensor(stage.id).values();
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_TRUE(std::abs(a[k] - b[k]) <= 2e-6F && std::abs(a[k] - c[k]) <= 2e-6F) << stage_name(stage.id) << " " << k;
    }
  }
  // A part of a row from which a direction is taken needs all of it.
  const Tensor& output = read->tensor(StageId::output);
  std::vector<float> part(4);
  output.read({{0, 1}, {2, 3}, {5, 9}}, part);
  for (std::int64_t k = 0; k < 4; ++k) EXPECT_EQ(part[static_cast<std::size_t>(k)], output.at({0, 2, 5 + k}));
  EXPECT_NE(refused(layer({{"set", "weights:0=0"}}), "set", 0), "");
}

TEST_F(StageArrays, WhatCannotBeIsRefusedWithBothSizes) {
  const std::string three = file("three", random_tensor({3}, 1)), many = file("many", random_tensor({6, 4}, 2)),
                    zero = file("zero", tensor_of({4}, {0, 0, 0, 0})),
                    infinite = file("infinite", tensor_of({4}, {1, INFINITY, 0, 0}));
  std::string said = refused(layer({{"add", "context=" + three}}), "add");
  EXPECT_NE(said.find("[3]"), std::string::npos) << said;
  EXPECT_NE(said.find("[4], [5, 4] or [1, 3, 5, 4]"), std::string::npos) << said;
  said = refused(layer({{"set", "context:1,0..2=" + many}}), "set");
  EXPECT_NE(said.find("[6, 4]"), std::string::npos) << said;
  EXPECT_NE(said.find("[3, 4]"), std::string::npos) << said;
  for (const char* place : {"context:3", "context:,5", "context:,3..5", "context:,-6", "context:,-6..-1"}) {
    EXPECT_NE(refused(layer({{"set", std::string(place) + "=1"}}), "set"), "") << place;
  }
  EXPECT_NE(refused(layer({{"project-out", "context=" + zero}}), "project-out").find("of zeros"), std::string::npos);
  EXPECT_NE(refused(layer({{"project-out", "context=" + infinite}}), "project-out").find("not finite"),
            std::string::npos);
  for (const char* stage : {"stream", "mlp_out", "capped_scores", "3/context"}) {
    EXPECT_NE(refused(layer({{"set", std::string(stage) + "=1"}}), "set"), "") << stage;
  }
  EXPECT_THROW(run(layer({{"add", "context=missing.npy"}})), Error);
  for (const char* bad : {"context", "context=", "nothing=1", "context:x=1", "context:1,2..1=1", "context:0:1=1", "=1",
                          "context:-1=1", "context:,1..=1", "context=nan"}) {
    Request request;
    EXPECT_THROW(find_request_option("set")->set(request, bad), UsageError) << bad;
  }
  for (const char* bad : {"context=a.npy*x", "context=a.npy*inf", "context=*2"}) {
    Request request;
    EXPECT_THROW(find_request_option("add")->set(request, bad), UsageError) << bad;
  }
}

// What a run uses again must see the numbers, not the file's name.
TEST_F(StageArrays, AFileThatChangedIsReadAgain) {
  Engine engine(EngineOptions{});
  const std::string path = file("changing", random_tensor({4}, 1));
  const Request request = layer({{"add", "context:1=" + path}, {"mask", "causal"}});
  const auto first = engine.run(request, CancelToken());
  file("changing", random_tensor({3, 4}, 2));  // of another size
  EXPECT_THROW(engine.run(request, CancelToken()), ProblemError);
  file("changing", random_tensor({5, 4}, 2));
  const auto second = engine.run(request, CancelToken());
  EXPECT_FALSE(same_bits(first->tensor(StageId::output), second->tensor(StageId::output)));
  const auto fresh = run(request);
  for (const Stage& stage : fresh->stages) EXPECT_TRUE(same_bits(second->tensor(stage.id), stage.tensor));
  Request longer = request;
  find_request_option("add")->set(longer, "off:context:1=" + path);
  const auto off = engine.run(longer, CancelToken());
  EXPECT_TRUE(same_bits(off->tensor(StageId::output), run(layer({{"mask", "causal"}}))->tensor(StageId::output)));
}

TEST_F(StageArrays, InfinitiesAndNanArePutInAsTheyAre) {
  const std::string path = file("wild", tensor_of({4}, {NAN, INFINITY, -INFINITY, 1}));
  const auto found = run(layer({{"set", "context:1,2=" + path}}));
  EXPECT_TRUE(std::isnan(found->tensor(StageId::context).at({0, 1, 2, 0})));
  EXPECT_EQ(found->tensor(StageId::context).at({0, 1, 2, 2}), -INFINITY);
  EXPECT_TRUE(std::isnan(found->tensor(StageId::output).at({0, 2, 0})));
  EXPECT_FALSE(std::isnan(found->tensor(StageId::output).at({0, 1, 0})));
}

}  // namespace
}  // namespace headscope
