// Whole models by the engine: the same bits whatever was computed before. Their numbers are held against PyTorch's in
// tests/core/model/golden_models_test.cpp.
#include "core/attention/model_forward.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"
#include "core/model/model_inputs.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

Request of_model(const std::string& name, std::vector<std::int64_t> ids) {
  Request request;
  request.model = kModels + name;
  request.token_ids = std::move(ids);
  request.backend = BackendChoice::cpu;
  request.threads = 2;
  return request;
}

Request forward_with(Request request, const char* option, const std::string& text) {
  find_request_option(option)->set(request, text);
  return request;
}

EngineOptions forward_whole(bool reuse = false) {
  EngineOptions options;
  options.reuse = reuse;
  options.whole_model = true;
  return options;
}

// Every stage of every layer, and final_hidden.
void expect_same_model(const Trace& found, const Trace& wanted, const std::string& what) {
  ASSERT_NE(found.model, nullptr) << what;
  ASSERT_EQ(found.model->layers.size(), wanted.model->layers.size());
  EXPECT_EQ(found.request, wanted.request);
  EXPECT_TRUE(same_bits(found.model->final_hidden, wanted.model->final_hidden)) << what;
  for (std::size_t layer = 0; layer < wanted.model->layers.size(); ++layer) {
    const Trace *a = found.model->layers[layer].get(), *b = wanted.model->layers[layer].get();
    ASSERT_EQ(a == nullptr, b == nullptr) << what << ", layer " << layer;
    if (a == nullptr) continue;
    EXPECT_EQ(a->request, b->request);
    ASSERT_EQ(a->stages.size(), b->stages.size());
    for (const Stage& stage : b->stages) {
      EXPECT_TRUE(same_bits(a->tensor(stage.id), stage.tensor))
          << what << ", layer " << layer << ", " << stage_name(stage.id);
      EXPECT_EQ(a->find(stage.id)->operation, stage.operation);
    }
  }
  for (const Stage& stage : wanted.stages) {
    EXPECT_TRUE(same_bits(found.tensor(stage.id), stage.tensor)) << what << ", shown " << stage_name(stage.id);
  }
}

TEST(ModelForward, TypingTokenByTokenGivesTheBitsOfAFreshEngine) {
  for (const char* name : {"gpt2", "llama", "mistral", "qwen3", "bert", "gpt2-bf16", "albert", "modernbert",
                           "falcon-alibi", "mpt-normed", "deepseek_v3"}) {
    Engine engine(forward_whole(true));
    std::vector<std::shared_ptr<const Trace>> shown;
    for (const std::vector<std::int64_t>& ids : std::vector<std::vector<std::int64_t>>{{1},
                                                                                       {1, 5},
                                                                                       {1, 5, 2},
                                                                                       {1, 5, 2, 7},
                                                                                       {1, 5, 3, 7},
                                                                                       {1, 5, 3, 7, 7, 7},
                                                                                       {4, 5, 3, 7, 7, 7},
                                                                                       {4, 5},
                                                                                       {4, 5, 3, 7}}) {
      shown.push_back(engine.run(of_model(name, ids), CancelToken()));
      if (shown.size() > 2) shown[shown.size() - 3] = nullptr;  // its memory goes to the next
      Engine fresh(forward_whole());
      Request request = of_model(name, ids);
      expect_same_model(*shown.back(), *fresh.run(request, CancelToken()), name);
      if (shown.size() > 1) {
        const Trace& last = *shown[shown.size() - 2];
        expect_same_model(last, *Engine(forward_whole()).run(last.request, CancelToken()), "the one before");
      }
    }
  }
}

TEST(ModelForward, OptionsOneAfterTheOtherGiveTheBitsOfAFreshEngine) {
  for (const char* name : {"gpt2", "bert", "deepseek_v2"}) {
    Engine engine(forward_whole(true));
    Request request = of_model(name, {3, 1, 4, 1, 5});
    for (const auto& [option, text] :
         std::vector<std::pair<const char*, const char*>>{{"layer", "0"},
                                                          {"layer", "1"},
                                                          {"ablate", "1.0"},
                                                          {"ablate", "0.1,1.0"},
                                                          {"layer", "0"},
                                                          {"mask", "window:1"},
                                                          {"scale", "0.3"},
                                                          {"ablate", "none"},
                                                          {"merge", "direct"},
                                                          {"mask", "none"},
                                                          {"variant", "softmax-over-queries"},
                                                          {"variant", "none"},
                                                          {"dropout", "0.3"},
                                                          {"batch", "2"}}) {
      request = forward_with(request, option, text);
      const auto found = engine.run(request, CancelToken());
      Engine fresh(forward_whole());
      expect_same_model(*found, *fresh.run(request, CancelToken()), std::string(name) + " --" + option + " " + text);
    }
  }
}

TEST(ModelForward, ThreadsChangeNoBit) {
  for (const char* name : {"gpt2", "llama", "roberta", "gemma", "electra", "falcon-grouped", "deepseek_v3"}) {
    Request request = of_model(name, {3, 1, 4, 1, 5});
    Engine one(forward_whole()), two(forward_whole());
    request.threads = 1;
    const auto alone = one.run(request, CancelToken());
    request.threads = 2;
    Trace both = *two.run(request, CancelToken());
    for (std::size_t layer = 0; layer < alone->model->layers.size(); ++layer) {
      for (const Stage& stage : alone->model->layers[layer]->stages) {
        EXPECT_TRUE(same_bits(both.model->layers[layer]->tensor(stage.id), stage.tensor)) << stage_name(stage.id);
      }
    }
    EXPECT_TRUE(same_bits(both.model->final_hidden, alone->model->final_hidden));
  }
}

TEST(ModelForward, WhatIsThereIsNotComputedAgain) {
  Engine engine(forward_whole(true));
  const Request request = of_model("gpt2", {3, 1, 4, 1, 5});
  const auto last = engine.run(request, CancelToken());
  const auto first = engine.run(forward_with(request, "layer", "0"), CancelToken());
  for (std::size_t layer = 0; layer < last->model->layers.size(); ++layer) {
    for (const StageId stage : {StageId::input, StageId::query_proj, StageId::weights, StageId::output}) {
      EXPECT_TRUE(same_storage(first->model->layers[layer]->tensor(stage), last->model->layers[layer]->tensor(stage)));
    }
  }
  EXPECT_TRUE(same_storage(first->model->final_hidden, last->model->final_hidden));
  // A head of layer 1: layer 0 stays, layer 1 changes from its context on.
  const auto ablated = engine.run(forward_with(forward_with(request, "layer", "1"), "ablate", "1.1"), CancelToken());
  const auto layer_of = [](const std::shared_ptr<const Trace>& trace, std::size_t layer) {
    return trace->model->layers[layer];
  };
  EXPECT_TRUE(same_storage(layer_of(ablated, 0)->tensor(StageId::output), layer_of(last, 0)->tensor(StageId::output)));
  EXPECT_TRUE(
      same_storage(layer_of(ablated, 1)->tensor(StageId::weights), layer_of(last, 1)->tensor(StageId::weights)));
  EXPECT_FALSE(same_bits(layer_of(ablated, 1)->tensor(StageId::context), layer_of(last, 1)->tensor(StageId::context)));
  EXPECT_FALSE(same_bits(ablated->model->final_hidden, last->model->final_hidden));
  EXPECT_EQ(layer_of(ablated, 0)->request.ablate.size(), 0u);
  EXPECT_EQ(ablated->request.ablate.size(), 1u);
}

TEST(ModelForward, OnlyTheLayersThatAreNeededAndTheShownOneFirst) {
  Engine engine;
  const auto trace = engine.run(forward_with(of_model("gpt2", {3, 1}), "layer", "0"), CancelToken());
  EXPECT_NE(trace->model->layers[0], nullptr);
  EXPECT_EQ(trace->model->layers[1], nullptr);
  EXPECT_TRUE(trace->model->final_hidden.empty());

  Engine window(forward_whole(true));
  std::vector<std::shared_ptr<const Trace>> early;
  const auto keep = [&](std::shared_ptr<const Trace> each) { early.push_back(std::move(each)); };
  const auto all = window.run(forward_with(of_model("gpt2", {3, 1}), "layer", "0"), CancelToken(), keep);
  ASSERT_EQ(early.size(), 1u);
  EXPECT_EQ(early[0]->model->layers[1], nullptr);
  EXPECT_FALSE(early[0]->preview);
  EXPECT_TRUE(same_storage(early[0]->tensor(StageId::weights), all->tensor(StageId::weights)));
  EXPECT_NE(all->model->layers.back(), nullptr);

  // Cancelled above the shown layer, then asked for again.
  CancelToken cancel;
  const auto stop = [&](std::shared_ptr<const Trace>) { cancel.cancel(); };
  EXPECT_THROW(window.run(forward_with(of_model("gpt2", {3, 1, 2}), "layer", "0"), cancel, stop), Cancelled);
  const auto again = window.run(of_model("gpt2", {3, 1, 2}), CancelToken());
  expect_same_model(*again, *Engine(forward_whole()).run(again->request, CancelToken()), "after a cancelled run");
}

TEST(ModelForward, WeightsThatAreComputedWhenReadAreTheSame) {
  EngineOptions small = forward_whole(true);
  small.stage_memory = 0;
  Engine engine(small);
  for (const char* layer : {"1", "0"}) {
    const auto found = engine.run(forward_with(of_model("llama", {3, 1, 4, 1}), "layer", layer), CancelToken());
    EXPECT_NE(found->on_demand, nullptr);
    expect_same_model(*found, *Engine(forward_whole()).run(found->request, CancelToken()), "on demand");
  }
}

TEST(ModelForward, AModelsMaskComposesWithTheRequests) {
  Engine engine;
  const auto trace = engine.run(forward_with(of_model("gpt2", {3, 1, 4, 1}), "mask", "padding:1"), CancelToken());
  EXPECT_EQ(trace->find(StageId::masked_scores)->operation, "+ causal, padding 1 mask");
  const Tensor& weights = trace->tensor(StageId::weights);
  EXPECT_EQ(weights.at({0, 0, 1, 2}), 0.0F);
  EXPECT_EQ(weights.at({0, 0, 3, 3}), 0.0F);
  EXPECT_GT(weights.at({0, 0, 3, 2}), 0.0F);
}

// The sentence that refuses the request.
std::string refusal_of(const Request& request) {
  try {
    Engine().run(request, CancelToken());
  } catch (const UsageError& error) {
    return error.what();
  } catch (const ProblemError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelForward, WhatAModelCannotRunIsSaidWithItsNumbers) {
  const Request good = of_model("gpt2", {1, 2});
  const Architecture architecture = Checkpoint::open(good.model)->architecture();
  EXPECT_EQ(refusal_of(good), "");
  const auto has = [](const std::string& sentence, const std::string& part) {
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " in: " << sentence;
  };
  has(refusal_of(forward_with(good, "layer", "9")), "--layer: 9 was given");
  has(refusal_of(forward_with(good, "layer", "9")), "expected 0 to " + std::to_string(architecture.num_layers - 1));
  const std::string beyond = std::to_string(architecture.vocab_size);
  has(refusal_of(forward_with(good, "token-ids", "1," + beyond)),
      "--token-ids: " + beyond + " is not in the vocabulary");
  Request longer = good;
  longer.token_ids.assign(static_cast<std::size_t>(architecture.max_positions + 1), 1);
  has(refusal_of(longer), "takes at most " + std::to_string(architecture.max_positions));
  Request words = good;
  words.token_ids.clear();
  words.phrase = "a b";
  has(refusal_of(words), "has no tokenizer; expected --token-ids");
  has(refusal_of(forward_with(good, "phrase", "a b")), "exclude each other");
  has(refusal_of(forward_with(good, "key-phrase", "a b")),
      "--key-phrase: key-phrase and a checkpoint exclude each other");
  has(refusal_of(forward_with(good, "heads", "5")), "--heads: 5 was given");
  EXPECT_EQ(refusal_of(forward_with(good, "heads", std::to_string(architecture.num_heads))), "");
  has(refusal_of(forward_with(good, "d-model", "7")), "--d-model: 7 was given");
  has(refusal_of(forward_with(good, "qkv-layout", "per-head")), "--qkv-layout");
  has(refusal_of(forward_with(good, "init-gain", "2")), "--init-gain");
  has(refusal_of(forward_with(good, "position", "sinusoidal")), "--position");
  has(refusal_of(forward_with(good, "embedding", "sequence")), "--embedding");
  has(refusal_of(forward_with(good, "ablate", "7.0")), "--ablate: there is no layer 7");
  has(refusal_of(forward_with(good, "ablate", "1.77")), "--ablate: there is no head 77");
  EXPECT_EQ(refusal_of(forward_with(good, "variant", "mask-inverted")), "") << "it has a mask of its own";
  has(refusal_of(forward_with(of_model("bert", {1, 2}), "variant", "mask-inverted")), "no mask to invert");
}

TEST(ModelForward, ACheckpointThatChangedOnDiskIsReadAgain) {
  const fs::path folder = fs::path(::testing::TempDir()) / "headscope_changed_model";
  fs::remove_all(folder);
  fs::copy(kModels + "gpt2", folder);
  Request request = of_model("gpt2", {1, 2});
  request.model = folder.string();
  Engine engine(forward_whole(true));
  const auto before = engine.run(request, CancelToken());
  // Another file takes its place, as atomic writers and downloaders do it.
  const SafetensorsFile old = SafetensorsFile::open((folder / "model.safetensors").string());
  std::vector<Tensor> tensors;
  for (const SafetensorsEntry& entry : old.entries()) {
    std::vector<float> values = old.tensor(entry).values();
    for (float& value : values) value *= 1.25F;
    tensors.push_back(Tensor::of(old.tensor(entry).shape(), old.tensor(entry).axes(), std::move(values)));
  }
  std::vector<NamedTensorRef> named;
  for (std::size_t k = 0; k < tensors.size(); ++k) named.push_back({old.entries()[k].name, &tensors[k]});
  {
    std::ofstream out(folder / "other.tmp", std::ios::binary);
    write_safetensors(out, named, {});
  }
  fs::rename(folder / "other.tmp", folder / "model.safetensors");
  fs::last_write_time(folder / "model.safetensors", fs::file_time_type::clock::now() + std::chrono::seconds(5));
  const auto after = engine.run(request, CancelToken());
  EXPECT_NE(after->model->checkpoint, before->model->checkpoint);
  EXPECT_FALSE(same_bits(after->tensor(StageId::query), before->tensor(StageId::query)));
  expect_same_model(*after, *Engine(forward_whole()).run(request, CancelToken()), "changed");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace headscope
