// What an MLP adds taken from another run: its rows, and the stream that follows from them.
#include "core/attention/changed_mlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/attention/model_stages.h"
#include "core/model/checkpoint.h"
#include "tests/core/attention/plain_layer.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

using Id = ModelStageId;

Tensor stage_of(const Trace& trace, Id id) {
  return model_stages("export", trace, std::array{id}, CancelToken()).front().tensor;
}

PlainRow row_of_layer(const Tensor& tensor, std::int64_t layer, std::int64_t position) {
  return plain_row(tensor, {{layer, layer + 1}, {0, 1}, {position, position + 1}, {0, tensor.dim(3)}});
}

// Relative to the largest number of the row of `expected`.
double difference(const PlainRow& found, const PlainRow& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 0, most = 0;
  for (std::size_t d = 0; d < expected.size(); ++d) {
    largest = std::max(largest, std::abs(expected[d]));
    most = std::max(most, std::abs(found[d] - expected[d]));
  }
  return most / largest;
}

// Rows that a patch puts in are those of A to the bit, other rows are as computed, and the sum that leaves the layer is
// made of what was put in; of the last layer too.
TEST(PatchedMlp, IsThatOfAAndTheStreamFollows) {
  for (const char* name : {"gpt2", "llama", "gemma2", "olmo2", "opt-after", "gpt_neox", "bert", "mixtral"}) {
    const Request request = golden_request(name);
    Request other = request;
    other.token_ids[1] = request.token_ids[2];
    const auto a = whole_model(other);
    const Tensor of_a = stage_of(*a, Id::mlp_out);
    const std::int64_t last = of_a.dim(0) - 1;
    for (const std::int64_t layer : {std::int64_t{0}, last}) {
      // Positions keep their partners where the tokens are the same.
      SCOPED_TRACE(testing::Message() << name << ", layer " << layer);
      const std::int64_t put = 3;
      const auto found = patched_model(request, other, fmt::format("{}/mlp_out:{}@A", layer, put));
      const Tensor out = stage_of(*found, Id::mlp_out), stream = stage_of(*found, Id::stream),
                   attention = stage_of(*found, Id::attention_out), in = stage_of(*found, Id::mlp_in);
      EXPECT_EQ(row_of_layer(out, layer, put), row_of_layer(of_a, layer, put));
      const Tensor unpatched = stage_of(*whole_model(request), Id::mlp_out);
      for (std::int64_t i = 0; i < found->query_len(); ++i) {
        if (i != put) {
          EXPECT_EQ(row_of_layer(out, layer, i), row_of_layer(unpatched, layer, i)) << i;
        }
      }
      const Architecture& architecture = found->model->checkpoint->architecture();
      const bool after_sum = architecture.norm_place == Architecture::NormPlace::after_sum;
      PlainRow sum = row_of_layer(after_sum ? in : stream, layer, put);
      const PlainRow added = row_of_layer(attention, layer, put), own = row_of_layer(out, layer, put);
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += (after_sum ? 0 : added[d]) + own[d];
      if (after_sum) {
        Tensor row = Tensor::of({1, 1, stream.dim(3)}, {Axis::batch, Axis::position, Axis::feature},
                                std::vector<float>(sum.begin(), sum.end()));
        norm_rows(architecture, found->model->checkpoint->block(layer).mlp_norm, row, 0, row);
        sum = plain_row(row, {{0, 1}, {0, 1}, {0, row.dim(2)}});
      }
      EXPECT_TRUE(difference(row_of_layer(stream, layer + 1, put), sum) <= 1e-5);
      // In layer 0 of a parallel model an MLP reads its own token alone.
      if (layer != last) continue;
      const Tensor before = stage_of(*whole_model(request), Id::stream);
      EXPECT_GT(difference(row_of_layer(stream, layer + 1, put), row_of_layer(before, layer + 1, put)), 1e-4);
    }
  }
}

TEST(PatchedMlp, IsRefusedWhereThereIsNone) {
  Request layer;
  layer.phrase = "one two";
  layer.d_model = 8;
  layer.heads = 2;
  for (const auto& [request, part] : {std::pair{golden_request("attention-only-decoder"), "this model has no mlp_out"},
                                      {layer, "one layer has no mlp_out"}}) {
    try {
      patched_model(request, request, "mlp_out@A");
      ADD_FAILURE() << part;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace headscope
