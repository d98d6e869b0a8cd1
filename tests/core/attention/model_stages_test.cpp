// The stages of whole models: PyTorch's numbers, plain loops in double, and the bits that the model computed with.
#include "core/attention/model_stages.h"

#include <algorithm>
#include <cmath>

#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/model/stack.h"
#include "tests/core/attention/plain_layer.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

using Id = ModelStageId;

Tensor stage_of(const Trace& trace, Id id) {
  const std::vector<Id> ids = {id};
  const std::vector<ModelStage> stages = model_stages("export", trace, ids, CancelToken());
  EXPECT_EQ(stages.size(), 1u);
  EXPECT_FALSE(stages[0].operation.empty());
  return stages[0].tensor;
}

// Difference of rows, relative to the largest number of the row of `expected`; NaN where one is.
double relative_difference(const PlainRow& found, const PlainRow& expected) {
  if (found.size() != expected.size() || found.empty()) return std::nan("");
  double largest = 0, difference = 0;
  for (const double each : expected) largest = std::max(largest, std::abs(each));
  for (std::size_t d = 0; d < found.size(); ++d) {
    const double own = std::abs(found[d] - expected[d]);
    if (!(own <= difference)) difference = own;
  }
  return difference / largest;
}

PlainRow row_of_layer(const Tensor& tensor, std::int64_t layer, std::int64_t position) {
  return plain_row(tensor, {{layer, layer + 1}, {0, 1}, {position, position + 1}, {0, tensor.dim(3)}});
}

PlainRow row_of(const Tensor& tensor, std::int64_t position) {
  return plain_row(tensor, {{0, 1}, {position, position + 1}, {0, tensor.dim(2)}});
}

PlainRow expected_row(const Tensor& tensor, std::int64_t position) {
  return plain_row(tensor, {{position, position + 1}, {0, tensor.dim(1)}});
}

std::vector<std::string> models() {
  std::vector<std::string> names = model_names();
  std::erase(names, "bert-pair");  // ids alone say nothing of types
  return names;
}

bool has_mlp(const Trace& trace) {
  return trace.model->checkpoint->architecture().mlp != Architecture::Mlp::none;
}

// Whether a stage is none of those that every text model here has.
bool is_of_few(const ModelStageInfo& info) {
  return info.needs == ModelStageNeeds::projection || info.needs == ModelStageNeeds::convolution;
}

// What leaves a layer by its row alone, with what the convolution adds beside layer 0.
PlainRow with_convolution(const Trace& trace, std::int64_t layer, std::int64_t position, const PlainRow& left) {
  const Checkpoint& checkpoint = *trace.model->checkpoint;
  if (layer > 0 || !checkpoint.architecture().convolution) return left;
  return plain_norm(checkpoint.architecture(), checkpoint.block(0).convolution_norm,
                    plain_sum(left, row_of(stage_of(trace, Id::conv_out), position)));
}

TEST(ModelStages, NumbersAreThoseOfPyTorch) {
  constexpr double kTolerance = 4e-5;
  for (const std::string& name : models()) {
    SCOPED_TRACE(name);
    const auto trace = whole_model(golden_request(name));
    const Tensor stream = stage_of(*trace, Id::stream), attention = stage_of(*trace, Id::attention_out);
    const auto layers = static_cast<std::int64_t>(trace->model->layers.size());
    ASSERT_EQ(stream.dim(0), layers + 1);
    const Tensor embedded = expected_of(name, "embedded");
    const Tensor hidden = expected_of(name, "final_hidden");
    const Tensor final_norm = stage_of(*trace, Id::final_norm);
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      EXPECT_TRUE(relative_difference(row_of_layer(stream, 0, i), expected_row(embedded, i)) <= kTolerance);
      EXPECT_TRUE(relative_difference(row_of(final_norm, i), expected_row(hidden, i)) <= kTolerance);
      for (std::int64_t layer = 0; layer < layers; ++layer) {
        const std::string prefix = "layers." + std::to_string(layer) + ".";
        const Tensor left = expected_of(name, (prefix + "hidden").c_str());
        EXPECT_TRUE(relative_difference(row_of_layer(stream, layer + 1, i), expected_row(left, i)) <= kTolerance)
            << "layer " << layer << ", position " << i;
        const bool normed = trace->model->layers[0]->find(StageId::attention_norm_out) != nullptr;
        const Tensor added = expected_of(name, (prefix + (normed ? "attention_norm_out" : "output")).c_str());
        EXPECT_TRUE(relative_difference(row_of_layer(attention, layer, i), expected_row(added, i)) <= kTolerance)
            << "layer " << layer << ", position " << i;
      }
    }
    if (trace->model->checkpoint->output_head().kind == OutputHead::Kind::none) continue;
    const Tensor logits = stage_of(*trace, Id::logits), expected = expected_of(name, "logits");
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      EXPECT_TRUE(relative_difference(row_of(logits, i), expected_row(expected, i)) <= kTolerance) << i;
    }
  }
}

TEST(ModelStages, EveryStageFollowsFromTheStagesBefore) {
  constexpr double kTolerance = 2e-5;
  for (const std::string& name : models()) {
    SCOPED_TRACE(name);
    const auto trace = whole_model(golden_request(name));
    const Checkpoint& checkpoint = *trace->model->checkpoint;
    const Architecture& architecture = checkpoint.architecture();
    const Tensor stream = stage_of(*trace, Id::stream), attention = stage_of(*trace, Id::attention_out);
    const Tensor in = has_mlp(*trace) ? stage_of(*trace, Id::mlp_in) : Tensor();
    const Tensor out = has_mlp(*trace) ? stage_of(*trace, Id::mlp_out) : Tensor();
    for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
      for (std::int64_t i = 0; i < trace->query_len(); ++i) {
        const PlainRow entered = row_of_layer(stream, layer, i), added = row_of_layer(attention, layer, i);
        const PlainLayer plain = plain_layer(architecture, checkpoint.block(layer), entered, added);
        const PlainRow left = row_of_layer(stream, layer + 1, i);
        EXPECT_TRUE(relative_difference(left, with_convolution(*trace, layer, i, plain.left)) <= kTolerance);
        if (!has_mlp(*trace)) continue;
        EXPECT_TRUE(relative_difference(row_of_layer(in, layer, i), plain.mlp_in) <= kTolerance);
        EXPECT_TRUE(relative_difference(row_of_layer(out, layer, i), plain.mlp_out) <= kTolerance);
        if (architecture.norm_place == Architecture::NormPlace::after_sum) continue;
        const PlainRow sum = plain_sum(plain_sum(entered, added), row_of_layer(out, layer, i));
        EXPECT_TRUE(relative_difference(left, sum) <= 1e-6) << "stream + attention_out + mlp_out";
      }
    }
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      const PlainRow normed = plain_norm(architecture, checkpoint.output_head().final_norm,
                                         row_of_layer(stream, architecture.num_layers, i));
      EXPECT_TRUE(relative_difference(row_of(stage_of(*trace, Id::final_norm), i), normed) <= kTolerance);
    }
  }
}

// Three rows by all features, and five rows by groups of features, of a text that is longer than either and of its
// ends.
TEST(ModelStages, TheConvolutionIsThatOfPyTorch) {
  for (const char* name : {"deberta_v2-conv", "deberta_v2-narrow"}) {
    SCOPED_TRACE(name);
    Request request = golden_request(name);
    for (const BackendChoice choice : {BackendChoice::reference, BackendChoice::cpu}) {
      request.backend = choice;
      const auto trace = whole_model(request);
      const Tensor found = stage_of(*trace, Id::conv_out), expected = expected_of(name, "conv_out");
      for (std::int64_t i = 0; i < trace->query_len(); ++i) {
        EXPECT_TRUE(relative_difference(row_of(found, i), expected_row(expected, i)) <= 4e-5) << i;
      }
      std::vector<float> part(6);
      found.read({{0, 1}, {5, 7}, {3, 6}}, part);
      EXPECT_EQ(part[4], found.at({0, 6, 4}));
    }
  }
}

// A row of the result depends on rows around it: an engine that knows the run before gives the bits of one that knows
// nothing.
TEST(ModelStages, AConvolutionIsComputedAnewWhereANeighbourChanged) {
  Request first = golden_request("deberta_v2-conv"), second = first;
  second.token_ids.back() = (second.token_ids.back() + 1) % 29;
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  engine.run(first, CancelToken());
  const auto again = engine.run(second, CancelToken());
  const auto fresh = whole_model(second);
  EXPECT_EQ(stage_of(*again, Id::stream).values(), stage_of(*fresh, Id::stream).values());
  EXPECT_NE(stage_of(*again, Id::stream).values(), stage_of(*whole_model(first), Id::stream).values());
}

TEST(ModelStages, BitsAreThoseOfTheModel) {
  for (const std::string& name : models()) {
    SCOPED_TRACE(name);
    const auto trace = whole_model(golden_request(name));
    const ModelTrace& model = *trace->model;
    const LayerStreams streams = layer_streams("export", model, CancelToken());
    EXPECT_EQ(stage_of(*trace, Id::stream).values(), streams.all.values());
    Tensor last = streams.each.back().dense_copy();
    norm_rows(model.checkpoint->architecture(), model.checkpoint->output_head().final_norm, last, 0, last);
    EXPECT_EQ(last.values(), model.final_hidden.values());
    if (model.checkpoint->output_head().kind == OutputHead::Kind::none) continue;
    const Tensor logits = stage_of(*trace, Id::logits);
    for (std::int64_t i = 0; i < trace->query_len(); ++i) {
      const std::vector<float> own = logits_at(model, 0, i, *model.backend, CancelToken());
      EXPECT_EQ(row_of(logits, i), PlainRow(own.begin(), own.end()));
    }
  }
}

TEST(ModelStages, AnyRegionIsThatPartOfTheWhole) {
  Request request = golden_request("gemma2");
  request.batch = 2;
  const auto trace = whole_model(request);
  for (const ModelStageInfo& info : model_stage_infos()) {
    if (is_of_few(info)) continue;
    SCOPED_TRACE(info.name);
    const Tensor whole_stage = stage_of(*trace, info.id);
    const Tensor stored = whole_stage.dense_copy();
    EXPECT_EQ(stored.rank(), static_cast<int>(info.axes.size()));
    const int batch = info.by_layers() ? 1 : 0;
    EXPECT_EQ(stored.dim(batch), 2);
    Region part = whole(stored.shape());
    part[batch] = {1, 2};
    part[batch + 1] = {2, 5};
    part[batch + 2] = {3, 7};
    if (info.by_layers()) part[0] = {1, 3};
    const auto size = static_cast<std::size_t>(element_count(part));
    std::vector<float> found(size), expected(size);
    whole_stage.read(part, found);
    stored.read(part, expected);
    EXPECT_EQ(found, expected);
  }
}

TEST(ModelStages, InterventionsAndMasksCount) {
  const auto plain = whole_model(golden_request("gpt2"));
  const auto ablated = whole_model(golden_request("gpt2"), {{"ablate", "1.0"}});
  const Tensor before = stage_of(*plain, Id::stream), after = stage_of(*ablated, Id::stream);
  for (std::int64_t i = 0; i < plain->query_len(); ++i) {
    EXPECT_EQ(row_of_layer(after, 1, i), row_of_layer(before, 1, i)) << "what enters the layer is the same";
    EXPECT_NE(row_of_layer(after, 2, i), row_of_layer(before, 2, i));
  }
  const auto masked = whole_model(golden_request("gpt2"), {{"mask", "window:0"}});
  EXPECT_NE(stage_of(*masked, Id::logits).values(), stage_of(*plain, Id::logits).values());
}

TEST(ModelStages, AnEarlierLayerShownGivesTheSameNumbers) {
  const auto last = whole_model(golden_request("llama"));
  const auto first = whole_model(golden_request("llama"), {{"layer", "0"}});
  for (const ModelStageInfo& info : model_stage_infos()) {
    if (is_of_few(info)) continue;
    EXPECT_EQ(stage_of(*first, info.id).values(), stage_of(*last, info.id).values()) << info.name;
  }
}

std::string refusal_of(const Trace& trace, Id id, std::int64_t limit = kDefaultMemoryLimit) {
  const std::vector<Id> ids = {id};
  try {
    model_stages("export", trace, ids, CancelToken(), limit);
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "export");
    return error.what();
  }
  return "";
}

TEST(ModelStages, WhatIsMissingIsNamed) {
  Request seeded;
  seeded.phrase = "a b c";
  seeded.d_model = 8;
  seeded.heads = 2;
  Engine engine;
  const auto layer = engine.run(seeded, {});
  for (const ModelStageInfo& info : model_stage_infos()) {
    const std::string sentence = refusal_of(*layer, info.id);
    EXPECT_NE(sentence.find(std::string(info.name)), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("one layer without the model around it"), std::string::npos) << sentence;
  }
  auto capture = std::make_shared<Trace>(*layer);
  auto captured = std::make_shared<ModelTrace>();
  captured->name = "captured.safetensors";
  captured->layers = {layer};
  capture->model = captured;
  EXPECT_NE(refusal_of(*capture, Id::stream).find("captured.safetensors is a capture"), std::string::npos);

  const auto only = whole_model(golden_request("attention-only-decoder"));
  EXPECT_NE(refusal_of(*only, Id::mlp_in).find("has no MLP"), std::string::npos);
  EXPECT_NE(refusal_of(*only, Id::mlp_out).find("has no MLP"), std::string::npos);
  EXPECT_EQ(refusal_of(*only, Id::stream), "");

  const auto headless = whole_model(golden_request("distilbert"));
  if (headless->model->checkpoint->output_head().kind == OutputHead::Kind::none) {
    EXPECT_NE(refusal_of(*headless, Id::logits).find("without its output head"), std::string::npos);
  }
  const std::string large = refusal_of(*only, Id::stream, 1000);
  EXPECT_NE(large.find("the stream of all layers would need"), std::string::npos) << large;
  EXPECT_NE(large.find("tokens fit"), std::string::npos) << large;
  EXPECT_EQ(refusal_of(*only, Id::attention_out, 1000), "") << "it is read from the layers";
}

TEST(ModelStages, CancelledReadsStop) {
  const auto trace = whole_model(golden_request("gpt2"));
  const std::vector<Id> ids = {Id::mlp_out, Id::logits};
  CancelToken cancel;
  const std::vector<ModelStage> stages = model_stages("export", *trace, ids, cancel);
  cancel.cancel();
  for (const ModelStage& stage : stages) EXPECT_THROW(stage.tensor.values(), Cancelled);
}

}  // namespace
}  // namespace headscope
