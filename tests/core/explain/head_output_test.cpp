// What heads write alone: they and the biases add up to what attention adds; norms on the way are held.
#include "core/explain/head_output.h"

#include <cmath>

#include "core/attention/model_stages.h"
#include "core/model/checkpoint.h"
#include "core/model/row_norm.h"
#include "tests/core/attention/plain_layer.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

using Place = Architecture::NormPlace;

const Tensor& stream_of(const Trace& trace) {
  return trace.model->streams[static_cast<std::size_t>(trace.inputs->layer)];
}

PlainRow row_of(const Tensor& tensor, std::int64_t position) {
  return plain_row(tensor, {{0, 1}, {position, position + 1}, {0, tensor.dim(2)}});
}

// What attention gives at a position of a layer without a norm behind W_O: the heads and W_O's bias.
PlainRow sum_of_heads(const Trace& trace, std::int64_t position) {
  const Tensor& bias = trace.inputs->weights.output.bias;
  PlainRow sum(static_cast<std::size_t>(stream_of(trace).dim(2)));
  for (std::size_t d = 0; d < sum.size() && !bias.empty(); ++d) {
    sum[d] = static_cast<double>(bias.at({static_cast<std::int64_t>(d)}));
  }
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
    const Tensor head = head_output(trace, stream_of(trace), 0, h, CancelToken());
    EXPECT_EQ(head.dim(0), 1);
    EXPECT_EQ(head.dim(1), trace.query_len());
    sum = plain_sum(sum, row_of(head, position));
  }
  return sum;
}

void expect_equal(const PlainRow& found, const PlainRow& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t d = 0; d < found.size(); ++d) {
    EXPECT_TRUE(std::abs(found[d] - expected[d]) <= 1e-5)
        << what << ", " << d << ": " << found[d] << ", " << expected[d];
  }
}

TEST(HeadOutput, HeadsAndTheBiasAreWhatAttentionAdds) {
  for (const char* name : {"gpt2", "gptj", "gpt_neox", "llama", "qwen2", "falcon-grouped", "attention-only-decoder"}) {
    const auto trace = whole_model(golden_request(name), {{"layer", "0"}});
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      expect_equal(sum_of_heads(*trace, i), row_of(attention_added(*trace), i), name);
    }
  }
}

TEST(HeadOutput, WithEveryMergeAndWithoutAHead) {
  for (const ModelOptionTexts& options :
       {ModelOptionTexts{{"merge", "direct"}}, ModelOptionTexts{{"ablate", "1.0"}, {"layer", "1"}}}) {
    const auto trace = whole_model(golden_request("gpt2"), options);
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      expect_equal(sum_of_heads(*trace, i), row_of(attention_added(*trace), i), options.front().first);
    }
  }
  const auto trace = whole_model(golden_request("gpt2"), {{"ablate", "1.0"}, {"layer", "1"}});
  for (const float each : head_output(*trace, stream_of(*trace), 0, 0, CancelToken()).values()) EXPECT_EQ(each, 0.0F);
}

// A norm with weights (and without its bias) at the mean and scale of `read`, of a part of it.
PlainRow held(const Architecture& architecture, const Tensor& weight, const PlainRow& read, const PlainRow& part) {
  const bool centred = architecture.norm == Architecture::Norm::layer;
  const auto count = static_cast<double>(read.size());
  double mean = 0, part_mean = 0, squares = 0;
  for (std::size_t d = 0; d < read.size() && centred; ++d) {
    mean += read[d] / count;
    part_mean += part[d] / count;
  }
  for (const double each : read) squares += (each - mean) * (each - mean);
  const double root = std::sqrt(squares / count + architecture.norm_eps);
  PlainRow result(read.size());
  for (std::size_t d = 0; d < read.size(); ++d) {
    const double own = static_cast<double>(weight.at({static_cast<std::int64_t>(d)}));
    result[d] = (part[d] - part_mean) / root * (own + (architecture.norm_plus_one ? 1 : 0));
  }
  return result;
}

TEST(HeadOutput, NormsOnTheWayAreHeld) {
  for (const char* name : {"gemma2", "olmo2", "bert", "opt-after"}) {
    const auto trace = whole_model(golden_request(name));
    const Architecture& architecture = trace->model->checkpoint->architecture();
    const bool after_sum = architecture.norm_place == Place::after_sum;
    ASSERT_NE(after_sum, trace->inputs->output_norm != nullptr) << name;
    const Tensor weight = after_sum ? trace->model->checkpoint->block(trace->inputs->layer).attention_norm.weight
                                    : trace->inputs->output_norm->weights.weight;
    const Tensor& bias = trace->inputs->weights.output.bias;
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      const PlainRow output = row_of(trace->tensor(StageId::output), i);
      PlainRow heads = output, found(output.size());
      for (std::size_t d = 0; d < heads.size() && !bias.empty(); ++d) {
        heads[d] -= static_cast<double>(bias.at({static_cast<std::int64_t>(d)}));
      }
      for (std::int64_t h = 0; h < trace->num_heads(); ++h) {
        found = plain_sum(found, row_of(head_output(*trace, stream_of(*trace), 0, h, CancelToken()), i));
      }
      const PlainRow read = after_sum ? plain_sum(row_of(stream_of(*trace), i), output) : output;
      expect_equal(found, held(architecture, weight, read, heads), name);
    }
  }
}

TEST(HeadOutput, CanBeCancelled) {
  const auto trace = whole_model(golden_request("gpt2"));
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(head_output(*trace, stream_of(*trace), 0, 0, cancel), Cancelled);
}

}  // namespace
}  // namespace headscope
