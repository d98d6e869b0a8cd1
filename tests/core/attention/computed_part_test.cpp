// What a result says of how much of it was computed.
#include "core/attention/computed_part.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

TEST(ComputedPart, NamesTheStageFromWhichNumbersAreNew) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  Request request;
  request.phrase = "one two three four";
  request.d_model = 16;
  request.heads = 4;
  request.threads = 1;
  request.backend = BackendChoice::cpu;
  const auto from = [&](const char* option, const char* value) {
    find_request_option(option)->set(request, value);
    return computed_from(*engine.run(request, CancelToken()));
  };
  EXPECT_EQ(from("seed", "1"), std::nullopt) << "the first one";
  EXPECT_EQ(from("mask", "causal"), StageId::masked_scores);
  EXPECT_EQ(from("ablate", "0.2"), StageId::context);
  EXPECT_EQ(from("scale", "0.5"), StageId::scores);
  EXPECT_EQ(from("merge", "direct"), StageId::concat);
  EXPECT_EQ(from("seed", "2"), std::nullopt) << "all of it";
  EXPECT_EQ(from("seed", "2"), std::nullopt) << "nothing had to be computed";
}

}  // namespace
}  // namespace headscope
