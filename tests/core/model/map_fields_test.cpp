// Every setting and part that a map has, as the guide spells them: models of tests/golden/models without their family,
// whose maps are edited by hand where the draft cannot know, and every stage of every layer beside the family's.
#include <cmath>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/backend/backend_factory.h"
#include "core/io/safetensors.h"
#include "tests/core/model/renamed_models.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

struct Edited {
  const char* model;
  Json settings;                  // that the map gets
  const char* ignored = nullptr;  // the decoder's name, where it is a copy of the word embedding
};

// What the draft of such a model does not know: models of other families have the same names and keys.
const std::vector<Edited>& edited() {
  static const std::vector<Edited> rows = {
      {"gpt2", {}},
      {"nanogpt", {}},
      {"bert", {}},
      {"roberta", {{"position_offset", 2}, {"max_positions", 9}, {"head_activation", "gelu"}}},
      {"distilbert", {}, "vocab_projector.weight"},
      {"llama", {}},
      {"mistral", {}},
      {"qwen3", {}},
      {"gemma", {{"norm_plus_one", true}, {"embedding_scale", 3.464101552963257}, {"activation", "gelu_tanh"}}},
      {"gemma2", {}},
      {"gemma3", {}},
      {"olmo2", {}},
      {"olmo3", {{"window_layers", {0, 1, 2}}, {"window_rotary", {{"pairs", "halves"}, {"rope_theta", 500000.0}}}}},
      {"phi", {}},
      {"phi3", {}},
      {"stablelm-parallel", {}},
      {"starcoder2", {}},
      {"cohere", {{"rotary", {{"pairs", "neighbours"}, {"rope_theta", 10000}}}}},
      {"cohere-normed", {{"rotary", {{"pairs", "neighbours"}, {"rope_theta", 10000}}}, {"head_norm", "layer"}}},
      {"gpt_neox", {}},
      {"gpt_neox-sequential", {}},
      {"gptj", {}},
      {"opt", {}},
      {"opt-after", {}},
      {"bloom", {{"max_positions", 2048}}},
      {"falcon", {{"activation", "gelu"}}, "lm_head.weight"},
      {"falcon-grouped", {}, "lm_head.weight"},
      {"falcon-grouped-one-norm", {{"activation", "gelu"}}, "lm_head.weight"},
      {"mpt", {}},
      {"mpt-steep", {}},
      {"mpt-held", {}},
      {"mpt-normed", {}},
  };
  return rows;
}

class MapFields : public RenamedModel {
 protected:
  void write_edited(const Edited& row) {
    write_renamed(row.model, {});
    write_map([&](Json& map) {
      for (const auto& [key, value] : row.settings.items()) map["architecture"][key] = value;
      if (row.ignored == nullptr) return;
      map["tensors"].erase("decoder.weight");
      map["ignore"] = {row.ignored};
    });
  }
};

std::shared_ptr<const Trace> traced(const std::string& model, const std::vector<std::int64_t>& ids, int layer) {
  Request request;
  request.model = model;
  request.token_ids = ids;
  request.layer = layer;
  request.backend = BackendChoice::reference;
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

void expect_same_stages(const Trace& found, const Trace& expected) {
  ASSERT_EQ(found.stages.size(), expected.stages.size());
  for (std::size_t k = 0; k < expected.stages.size(); ++k) {
    ASSERT_EQ(found.stages[k].id, expected.stages[k].id);
    EXPECT_EQ(found.stages[k].tensor.values(), expected.stages[k].tensor.values()) << stage_name(expected.stages[k].id);
  }
  EXPECT_EQ(found.model->final_hidden.values(), expected.model->final_hidden.values());
}

TEST_F(MapFields, EditedDraftsAreTheFamilysModel) {
  for (const Edited& row : edited()) {
    SCOPED_TRACE(row.model);
    write_edited(row);
    const auto expected = Checkpoint::open(kModels + row.model);
    expect_same_model(*open(), *expected);
    const SafetensorsFile file = SafetensorsFile::open(kModels + row.model + "/expected.safetensors");
    const std::vector<float> numbers = file.tensor(*file.find("token_ids")).values();
    const std::vector<std::int64_t> ids(numbers.begin(), numbers.end());
    for (int layer = 0; layer < expected->architecture().num_layers; ++layer) {
      expect_same_stages(*traced(folder(), ids, layer), *traced(kModels + row.model, ids, layer));
    }
  }
}

// Gemma 2 under names of nobody: the second example of the guide, added to the draft.
TEST_F(MapFields, TheGuidesSecondExampleIsGemma2) {
  write_renamed("gemma2", {{"model.embed_tokens.", "body.words."},
                           {"model.layers.", "body.steps."},
                           {"model.norm.", "body.last."},
                           {".input_layernorm.", ".n_a."},
                           {".post_attention_layernorm.", ".n_b."},
                           {".pre_feedforward_layernorm.", ".n_c."},
                           {".post_feedforward_layernorm.", ".n_d."}});
  change_config([](Json& config) {
    for (const char* key : {"query_pre_attn_scalar", "attn_logit_softcapping", "final_logit_softcapping"}) {
      config.erase(key);
    }
  });
  const std::string guide = read_file(HEADSCOPE_SOURCE_DIR "/assets/guide/03-my-checkpoint.md");
  const std::size_t first = guide.find("```json\n"), begin = guide.find("```json\n", first + 1) + 8;
  const Json added = Json::parse(guide.substr(begin, guide.find("```", begin) - begin));
  write_map([&](Json& map) {
    for (const char* part : {"architecture", "tensors"}) map[part].update(added[part]);
    map["tensors"]["final_norm.weight"] = "body.last.weight";
  });
  expect_same_model(*open(), *Checkpoint::open(kModels + "gemma2"));
  for (int layer = 0; layer < 3; ++layer) {
    expect_same_stages(*traced(folder(), {1, 2, 3, 4, 5}, layer), *traced(kModels + "gemma2", {1, 2, 3, 4, 5}, layer));
  }
}

TEST_F(MapFields, OlderSpellingOfNormPlaces) {
  write_renamed("llama", {});
  write_map([](Json& map) {
    map["architecture"].erase("norm_place");
    map["architecture"]["norm_first"] = true;
  });
  expect_same_model(*open(), *Checkpoint::open(kModels + "llama"));
}

// A setting of every kind changes what the Architecture says, so that none is read and dropped.
TEST_F(MapFields, SettingsOfAPlainModel) {
  write_renamed("llama", {});
  write_map([](Json& map) {
    map["architecture"].update({{"score_scale", 0.5},
                                {"scale_by_layer", true},
                                {"score_softcap", 7.5},
                                {"alibi", true},
                                {"alibi_bias_max", 16},
                                {"qkv_clip", 2.5},
                                {"norm_plus_one", true},
                                {"embedding_scale", 3.0},
                                {"logit_scale", 0.25},
                                {"logit_softcap", 9.5},
                                {"sliding_window", 4},
                                {"window_layers", {1}},
                                {"window_rotary", {{"pairs", "halves"}, {"rope_theta", 100}, {"rotary_dim", 2}}}});
  });
  const Architecture found = open()->architecture();
  EXPECT_EQ(found.score_scale, 0.5);
  EXPECT_TRUE(found.scale_by_layer);
  EXPECT_EQ(found.score_softcap, 7.5);
  EXPECT_TRUE(found.alibi);
  EXPECT_EQ(found.alibi_size, 16);
  EXPECT_EQ(found.qkv_clip, 2.5);
  EXPECT_TRUE(found.norm_plus_one);
  EXPECT_EQ(found.embedding_scale, 3);
  EXPECT_EQ(found.logit_scale, 0.25);
  EXPECT_EQ(found.logit_softcap, 9.5);
  EXPECT_EQ(found.windowed, (std::vector<bool>{false, true}));
  ASSERT_TRUE(found.window_rotary.has_value());
  EXPECT_EQ(found.window_rotary->features, 2);
  EXPECT_EQ(found.rotary->features, 4);
}

// A sink of every head is a part of its own.
TEST_F(MapFields, SinksOfHeads) {
  write_renamed("llama", {}, {{"model.layers.0.self_attn.sinks", {4}}, {"model.layers.1.self_attn.sinks", {4}}});
  write_map([](Json& map) { EXPECT_EQ(map["tensors"]["sinks.weight"], "model.layers.{layer}.self_attn.sinks"); });
  EXPECT_TRUE(open()->architecture().sinks);
  EXPECT_EQ(open()->block(1).attention.sinks_name, "model.layers.1.self_attn.sinks");
  const auto with = traced(folder(), {1, 2, 3}, 0), without = traced(kModels + "llama", {1, 2, 3}, 0);
  const Tensor weights = with->tensor(StageId::weights), plain = without->tensor(StageId::weights);
  // A sink of 0 beside one key: e^s / (e^s + 1), where the model itself has 1.
  const double score = with->tensor(StageId::scores).at({0, 0, 0, 0});
  EXPECT_EQ(plain.at({0, 0, 0, 0}), 1.0F);
  EXPECT_NEAR(weights.at({0, 0, 0, 0}), std::exp(score) / (std::exp(score) + 1), 1e-6);
}

}  // namespace
}  // namespace headscope
