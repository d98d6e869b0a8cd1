// Models that no family fits: renamed checkpoints of tests/golden/models, opened by a headscope-map.json.
#include "core/model/model_map.h"

#include "core/base/error.h"
#include "core/model/map_names.h"
#include "core/model/tensor_names.h"
#include "tests/core/model/renamed_models.h"

namespace headscope {
namespace {

// As no family calls them.
const Renaming kGpt2 = {{"transformer.wte.weight", "net.tok.emb.weight"},
                        {"transformer.wpe.weight", "net.tok.pos.weight"},
                        {"transformer.h.", "net.blocks."},
                        {".ln_1.", ".first_attn_norm."},
                        {".ln_2.", ".then_mlp_norm."},
                        {".attn.c_attn.", ".attn.qkv."},
                        {".attn.c_proj.", ".attn.out."},
                        {".mlp.c_fc.", ".mlp.expand."},
                        {".mlp.c_proj.", ".mlp.contract."},
                        {"transformer.ln_f.", "net.final.norm."}};
const Renaming kLlama = {{"model.embed_tokens.", "body.words."}, {"model.layers.", "body.steps."},
                         {".input_layernorm.", ".pre_norm."},    {".post_attention_layernorm.", ".post_norm."},
                         {".self_attn.q_proj.", ".mixer.wq."},   {".self_attn.k_proj.", ".mixer.wk."},
                         {".self_attn.v_proj.", ".mixer.wv."},   {".self_attn.o_proj.", ".mixer.wo."},
                         {".mlp.gate_proj.", ".ff.w1."},         {".mlp.up_proj.", ".ff.w3."},
                         {".mlp.down_proj.", ".ff.w2."},         {"model.norm.", "body.norm."},
                         {"lm_head.", "body.unembed."}};

class ModelMap : public RenamedModel {};

TEST_F(ModelMap, ARenamedGpt2OpensByItsDraft) {
  write_renamed("gpt2", kGpt2);
  expect_refused({"model_type is \"homemade\"", "headscope-map.json", "info FOLDER --map-draft FILE"});
  write(kMapName, drafted().json);
  expect_same_model(*open(), *Checkpoint::open(kModels + "gpt2"));
  EXPECT_EQ(open()->architecture().family, "homemade");
}

TEST_F(ModelMap, ARenamedLlamaOpensByItsDraft) {
  write_renamed("llama", kLlama);
  write(kMapName, drafted().json);
  expect_same_model(*open(), *Checkpoint::open(kModels + "llama"));
}

TEST_F(ModelMap, TheExampleOfTheReadmeIsTheDraftAndOpens) {
  write_renamed("llama", kLlama);
  const std::string readme = read_file(HEADSCOPE_SOURCE_DIR "/assets/guide/03-my-checkpoint.md");
  const std::size_t begin = readme.find("```json\n") + 8;
  const std::string example = readme.substr(begin, readme.find("```", begin) - begin);
  nlohmann::json draft = nlohmann::json::parse(drafted().json);
  draft["architecture"]["causal"] = true;  // the configuration names no CausalLM
  std::erase_if(draft["unsure"].get_ref<nlohmann::json::array_t&>(),
                [](const auto& each) { return each == "causal: true is a guess"; });
  EXPECT_EQ(nlohmann::json::parse(example), draft);
  write(kMapName, example);
  expect_same_model(*open(), *Checkpoint::open(kModels + "llama"));
}

TEST_F(ModelMap, ADraftSaysWhatItCouldNotGuess) {
  write_renamed("llama", kLlama);
  nlohmann::json config = nlohmann::json::parse(read_file(folder() + "/config.json"));
  for (const char* key : {"num_attention_heads", "hidden_act", "rope_theta", "max_position_embeddings"})
    config.erase(key);
  write("config.json", config.dump());
  const MapDraft draft = drafted();
  std::string all;
  for (const std::string& each : draft.unsure) all += each + "\n";
  for (const char* part : {"num_heads is not known", "max_positions is not known", "activation: silu is a guess",
                           "positions: there is no table of positions"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " is not in: " << all;
  }
  write(kMapName, draft.json);
  expect_refused({kMapName, "architecture: num_heads is missing", "max_positions is missing"});
}

using Json = nlohmann::json;

// A change of a map, and what the refusal says.
struct WrongMap {
  std::function<void(Json&)> change;
  std::vector<std::string> said;
};

TEST_F(ModelMap, WrongMapsNameTheKey) {
  write_renamed("llama", kLlama);
  const WrongMap cases[] = {
      {[](Json& map) { map["tensors"]["query.weight"] = "body.steps.{layer}.mixer.q.weight"; },
       {"tensors: query.weight is", "no file has a tensor \"body.steps.0.mixer.q.weight\""}},
      {[](Json& map) { map["tensors"]["query.weight"] = "body.steps.0.mixer.wq.weight"; },
       {"query.weight", "with {layer}"}},
      {[](Json& map) { map["tensors"]["word.weight"] = "body.{layer}"; }, {"word.weight", "without {layer}"}},
      {[](Json& map) { map["tensors"]["word.weight"] = 3; }, {"word.weight is 3"}},
      {[](Json& map) { map["tensors"]["wrod.weight"] = "body.words.weight"; },
       {"\"wrod.weight\" is no part of a model"}},
      {[](Json& map) { map["tensors"].erase("output.weight"); }, {"tensors: output.weight is missing"}},
      {[](Json& map) { map["tensors"].erase("key.weight"); }, {"tensors: key.weight is missing"}},
      {[](Json& map) { map["tensors"].erase("up.weight"); }, {"tensors: up.weight is missing"}},
      {[](Json& map) { std::swap(map["tensors"]["key.weight"], map["tensors"]["output.weight"]); },
       {"(layers.0.key.weight) is [16, 16], expected [8, 16]"}},
      {[](Json& map) { map["architecture"]["num_heads"] = 5; }, {"architecture: num_", "does not divide"}},
      {[](Json& map) { map["architecture"]["num_heads"] = "two"; }, {"architecture: num_heads is \"two\""}},
      {[](Json& map) { map["architecture"]["num_layers"] = 3; }, {"no file has a tensor \"body.steps.2."}},
      {[](Json& map) { map["architecture"].erase("num_layers"); }, {"architecture: num_layers is missing"}},
      {[](Json& map) { map["architecture"]["norm"] = "batch"; }, {"norm is \"batch\", expected layer or rms"}},
      {[](Json& map) { map["architecture"]["nrom"] = "rms"; }, {"\"nrom\" is no setting"}},
      {[](Json& map) { map["architecture"]["rotary"]["pairs"] = "both"; }, {"rotary: pairs is \"both\""}},
      {[](Json& map) { map["architecture"]["rotary"] = true; }, {"rotary is true, expected an object"}},
      {[](Json& map) { map["matrices"] = "out"; }, {"matrices is \"out\""}},
      {[](Json& map) { map["matrices"] = "in_out"; }, {"(layers.0."}},
      {[](Json& map) { map["other"] = 1; }, {"\"other\" is no key of a map"}},
      {[](Json& map) { map.erase("tensors"); }, {"tensors is missing"}},
      {[](Json& map) { map = Json::array(); }, {"found a list; expected an object"}},
  };
  for (const WrongMap& each : cases) {
    write_map(each.change);
    expect_refused(each.said);
  }
  write(kMapName, "{");
  expect_refused({kMapName});
}

TEST_F(ModelMap, SettingsThatDoNotFitEachOther) {
  write_renamed("llama", kLlama);
  const WrongMap cases[] = {
      {[](Json& map) { map["architecture"]["norm_first"] = true; }, {"norm_place and norm_first", "expected one"}},
      {[](Json& map) { map["architecture"].erase("norm_place"); }, {"norm_place is missing"}},
      {[](Json& map) { map["architecture"]["norm_place"] = "after"; }, {"after, which has no attention_norm"}},
      {[](Json& map) { map["architecture"]["norm_place"] = "around"; }, {"the tensors have no mlp_norm_out.weight"}},
      {[](Json& map) { map["architecture"]["fused_rows"] = "per_head"; }, {"fused_rows is of qkv"}},
      {[](Json& map) { map["architecture"]["window_layers"] = {0}; }, {"window_layers", "without sliding_window"}},
      {[](Json& map) {
         map["architecture"].update({{"sliding_window", 3}, {"window_layers", {2}}});
       },
       {"window_layers has 2, expected numbers of layers, 0 to 1"}},
      {[](Json& map) {
         map["architecture"]["window_rotary"] = {{"pairs", "halves"}};
       },
       {"window_rotary"}},
      {[](Json& map) { map["architecture"]["rotary"]["theta"] = 3; }, {"rotary: \"theta\" is no setting"}},
      {[](Json& map) { map["architecture"]["alibi"] = 3; }, {"alibi is 3, expected true or false"}},
      {[](Json& map) { map["tensors"]["qkv.weight"] = map["tensors"]["query.weight"]; },
       {"qkv and query are named, expected one"}},
      {[](Json& map) { map["tensors"]["sinks.bias"] = map["tensors"]["query.weight"]; }, {"\"sinks.bias\" is no part"}},
      {[](Json& map) { map["ignore"] = "x"; }, {"ignore is \"x\", expected a list"}},
      {[](Json& map) { map["ignore"] = {"body.*.other"}; }, {"ignore has \"body.*.other\", and no file has"}},
  };
  for (const WrongMap& each : cases) {
    write_map(each.change);
    expect_refused(each.said);
  }
}

TEST_F(ModelMap, ShippedFamiliesAreGuessedWhole) {
  // The draft of a known model finds the same parts as its family's row has.
  for (const char* name : {"gpt2", "nanogpt", "llama", "qwen3", "bert", "attention-only-encoder"}) {
    SCOPED_TRACE(name);
    const std::string config = kModels + name + "/config.json";
    const MapDraft draft = draft_map(parse_strict_json(read_file(config), config), WeightFiles::open(kModels + name));
    for (const std::string& each : draft.unsure) {
      if (std::string(name) == "llama" || std::string(name) == "gpt2") {
        EXPECT_EQ(each.find("without a part"), std::string::npos) << each;
      }
      EXPECT_EQ(each.find("no tensor was found"), std::string::npos) << each;
    }
  }
}

TEST(MapNames, LayersAndParts) {
  EXPECT_EQ(layered_name("a.b.12.c.0.weight").before, "a.b.");
  EXPECT_EQ(layered_name("a.b.12.c.0.weight").layer, 12);
  EXPECT_EQ(layered_name("a.b.12.c.0.weight").after, ".c.0.weight");
  EXPECT_EQ(layered_name("w2.weight").layer, -1);
  EXPECT_EQ(layered_name("a.3").layer, -1);
  const auto key = [](const char* name, std::size_t axes) {
    const MapPart* part = guessed_part(name, true, axes);
    return std::string(part == nullptr ? "" : part->key);
  };
  EXPECT_EQ(key("attn.query_key_value", 2), "qkv");
  EXPECT_EQ(key("Attention.Q", 2), "query");
  EXPECT_EQ(key("attn.q_norm", 1), "query_norm");
  EXPECT_EQ(key("ln_2", 1), "mlp_norm");
  EXPECT_EQ(key("something", 2), "");
}

}  // namespace
}  // namespace headscope
