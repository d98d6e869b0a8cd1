// Logits of decoders that attend to an encoder are the sum of what both attentions, MLPs, embeddings and biases wrote.
#include <cmath>
#include <string>
#include <vector>

#include "core/attention/output_head.h"
#include "core/model/checkpoint.h"
#include "tests/core/explain/attributed.h"
#include "tests/core/model/encoder_decoder_runs.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> whole_decoder(const std::string& name, AttentionList list) {
  Request request = encoder_decoder_request(name);
  request.attention = list;
  return whole_model(request);
}

double sum_named(const Attribution& found, const std::string& beginning, std::int64_t layer) {
  double sum = 0;
  for (const AttributionPart& part : found.parts) {
    if (part.layer == layer && std::string(part.name).starts_with(beginning)) sum += part.value;
  }
  return sum;
}

TEST(DecoderAttribution, AddsUpToPyTorchsLogitFromEitherList) {
  for (const std::string& name : encoder_decoder_names()) {
    SCOPED_TRACE(name);
    const Tensor logits = encoder_decoder_expected(name, "logits");
    for (const AttentionList list : {AttentionList::decoder, AttentionList::cross}) {
      const auto trace = whole_decoder(name, list);
      for (const std::int64_t position : {std::int64_t{0}, trace->query_len() - 1}) {
        double row = 0;
        for (std::int64_t id = 0; id < logits.dim(1); ++id) {
          row = std::max(row, std::abs(static_cast<double>(logits.at({position, id}))));
        }
        for (const AttributionBy by : kEveryWay) {
          const Attribution found = attributed(*trace, position, {3}, by);
          expect_exact(found, name);
          EXPECT_TRUE(std::abs(found.sum - static_cast<double>(logits.at({position, 3}))) <= 1e-4 * row) << found.sum;
          expect_exact(attributed(*trace, position, {3, 5}, by), "difference");
        }
      }
      LogitQuestion loss{.position = 1, .ids = {5}, .by = AttributionBy::heads, .loss = true};
      expect_exact(attribution(*trace->model, loss, CancelToken()), "loss");
    }
  }
}

TEST(DecoderAttribution, TheShownListMakesNoDifference) {
  for (const std::string& name : encoder_decoder_names()) {
    const Attribution a = attributed(*whole_decoder(name, AttentionList::decoder), 1, {4}, AttributionBy::sources);
    const Attribution b = attributed(*whole_decoder(name, AttentionList::cross), 1, {4}, AttributionBy::sources);
    ASSERT_EQ(a.parts.size(), b.parts.size()) << name;
    for (std::size_t k = 0; k < a.parts.size(); ++k) {
      EXPECT_STREQ(a.parts[k].name, b.parts[k].name);
      EXPECT_EQ(a.parts[k].head, b.parts[k].head);
      EXPECT_EQ(a.parts[k].key, b.parts[k].key);
      EXPECT_EQ(a.parts[k].value, b.parts[k].value) << name << ", " << a.parts[k].name;
    }
  }
}

// Sources add up to their head, heads and biases to the attention that they are of.
TEST(DecoderAttribution, PartsOfEitherAttentionAddUpToIt) {
  for (const std::string& name : encoder_decoder_names()) {
    const auto trace = whole_decoder(name, AttentionList::cross);
    const Attribution whole = attributed(*trace, 2, {4}, AttributionBy::components);
    const Attribution heads = attributed(*trace, 2, {4}, AttributionBy::heads);
    const Attribution sources = attributed(*trace, 2, {4}, AttributionBy::sources);
    const double scale = largest_part(whole);
    for (std::int64_t layer = 0; layer < std::ssize(trace->model->layers); ++layer) {
      for (const auto& [attention, head, source, bias] :
           {std::array{"attention", "head", "source", "attention bias"},
            std::array{"cross attention", "cross head", "cross source", "cross attention bias"}}) {
        double own = 0;  // without the bias of a norm behind it, whose name begins alike
        for (const AttributionPart& part : whole.parts) {
          if (part.layer == layer && std::string(part.name) == attention) own += part.value;
        }
        const double by_heads = sum_named(heads, head, layer) + sum_named(heads, bias, layer);
        const double by_sources = sum_named(sources, source, layer) + sum_named(sources, bias, layer);
        EXPECT_NEAR(by_heads, own, 1e-5 * scale) << name << ", " << attention << " of layer " << layer;
        EXPECT_NEAR(by_sources, own, 1e-5 * scale) << name << ", " << attention << " of layer " << layer;
      }
    }
  }
}

// T5, whose last norm is RMSNorm(x) = x w / rms(x), by its definition: a head of layer l writes
//   scale * sum_d decoder[id, d] w[d] / rms(x) * (W_O context)[d]
TEST(DecoderAttribution, AHeadOfT5IsItsContextThroughTheHeadOfTheModel) {
  const auto self = whole_decoder("t5", AttentionList::decoder), cross = whole_decoder("t5", AttentionList::cross);
  const std::int64_t position = 2, id = 6;
  const Attribution found = attributed(*cross, position, {id}, AttributionBy::heads);
  const Checkpoint& checkpoint = *cross->model->checkpoint;
  const OutputHead head = checkpoint.output_head();
  const Tensor& left = cross->model->whole_streams.back();
  const std::int64_t width = left.dim(2);
  double squares = 0;
  for (std::int64_t d = 0; d < width; ++d) squares += std::pow(static_cast<double>(left.at({0, position, d})), 2);
  const double rms = std::sqrt(squares / static_cast<double>(width) + checkpoint.architecture().norm_eps);
  int compared = 0;
  for (const AttributionPart& part : found.parts) {
    if (!part.head) continue;
    const bool of_cross = std::string(part.name) == "cross head";
    const Trace& trace = *(of_cross ? cross : self)->model->layers[static_cast<std::size_t>(*part.layer)];
    const Tensor& context = trace.tensor(StageId::context);
    const Tensor& output = trace.inputs->weights.output.weight;
    const std::int64_t features = context.dim(3);
    double value = 0;
    for (std::int64_t d = 0; d < width; ++d) {
      double written = 0;
      for (std::int64_t f = 0; f < features; ++f) {
        written += static_cast<double>(output.at({d, *part.head * features + f})) *
                   static_cast<double>(context.at({0, *part.head, position, f}));
      }
      value += static_cast<double>(head.decoder.weight.at({id, d})) *
               static_cast<double>(head.final_norm.weight.at({d})) / rms * written;
    }
    value *= checkpoint.architecture().logit_scale;
    EXPECT_NEAR(part.value, value, 1e-5 * (1 + std::abs(value))) << part.name;
    ++compared;
  }
  EXPECT_EQ(compared, 2 * cross->num_heads() * std::ssize(cross->model->layers));
}

TEST(DecoderAttribution, PartsNameTheTokensThatTheyRead) {
  const auto trace = whole_decoder("bart", AttentionList::decoder);
  const ReadTokens tokens = read_tokens(*trace);
  EXPECT_EQ(tokens.own, trace->inputs->tokens);
  EXPECT_EQ(tokens.cross, trace->inputs->encoder->tokens);
  bool own = false, cross = false;
  for (const AttributionPart& part : attributed(*trace, 1, {4}, AttributionBy::sources).parts) {
    if (!part.key) continue;
    (is_of_cross(part) ? cross : own) = true;
    EXPECT_EQ(tokens.of(part), (is_of_cross(part) ? tokens.cross : tokens.own)[static_cast<std::size_t>(*part.key)]);
  }
  EXPECT_TRUE(own && cross);
}

}  // namespace
}  // namespace headscope
