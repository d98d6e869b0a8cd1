// The stream of one position is the stream that the model computed with, bit for bit.
#include "core/explain/stream_row.h"

#include "core/model/checkpoint.h"
#include "core/model/stack.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

TEST(StreamRow, EndsInTheModelsOwnFinalHidden) {
  for (const std::string& name : model_names()) {
    if (name == "bert-pair") continue;  // ids alone say nothing of types
    const auto trace = whole_model(golden_request(name));
    const ModelTrace& model = *trace->model;
    for (std::int64_t position = 0; position < trace->query_len(); ++position) {
      const StreamRow row = stream_row(model, position, CancelToken());
      EXPECT_EQ(row.layers.size(), model.layers.size());
      const auto features = static_cast<std::int64_t>(row.left.size());
      Tensor left = Tensor::of({1, 1, features}, {Axis::batch, Axis::position, Axis::feature}, row.left);
      norm_rows(model.checkpoint->architecture(), model.checkpoint->output_head().final_norm, left, 0, left);
      EXPECT_EQ(left.values(), row_at(model.final_hidden, position)) << name << ", position " << position;
    }
  }
}

TEST(StreamRow, HoldsWhatTheLayersOfThatKindHave) {
  const StreamRow gpt2 = stream_row(*whole_model(golden_request("gpt2"))->model, 1, CancelToken());
  EXPECT_FALSE(gpt2.position.empty());
  EXPECT_TRUE(gpt2.token_type.empty());
  EXPECT_FALSE(gpt2.layers[0].mlp.empty());
  const StreamRow llama = stream_row(*whole_model(golden_request("llama"))->model, 1, CancelToken());
  EXPECT_TRUE(llama.position.empty());
  const StreamRow bert = stream_row(*whole_model(golden_request("bert"))->model, 1, CancelToken());
  EXPECT_FALSE(bert.token_type.empty());
  const StreamRow only = stream_row(*whole_model(golden_request("attention-only-decoder"))->model, 1, CancelToken());
  EXPECT_TRUE(only.layers[0].mlp.empty());
  EXPECT_EQ(only.layers[1].attended, only.left);
}

}  // namespace
}  // namespace headscope
