#include "core/request/model_kind.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

Request of_model(const std::string& model) {
  Request request;
  request.model = model;
  return request;
}

TEST(ModelKind, TheSpellingSaysWhichOneItIs) {
  EXPECT_TRUE(is_seeded(of_model("seeded")));
  EXPECT_TRUE(runs_checkpoint(of_model("demo:induction")));
  EXPECT_TRUE(runs_checkpoint(of_model("/models/gpt2")));
  EXPECT_TRUE(runs_capture(of_model("a.safetensors")));
  EXPECT_TRUE(runs_capture(of_model("B.NPY")));
}

TEST(ModelKind, ARequestIsOfOneKindAtMost) {
  for (const char* model : {"seeded", "demo:x", "folder", "a.npy", "a.safetensors", ".npy"}) {
    const Request request = of_model(model);
    EXPECT_EQ(is_seeded(request) + runs_checkpoint(request) + runs_capture(request), 1) << model;
  }
}

TEST(ModelKind, WeightsAndAttentionAloneAreNoneOfThem) {
  for (const char* model : {"seeded", "demo:x", "a.npy"}) {
    Request weights = of_model(model), alone = of_model(model);
    weights.weights = "layer.safetensors";
    alone.query = "q.npy";
    for (const Request& request : {weights, alone}) {
      EXPECT_FALSE(is_seeded(request) || runs_checkpoint(request) || runs_capture(request)) << model;
    }
  }
}

}  // namespace
}  // namespace headscope
