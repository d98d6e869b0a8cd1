// Models that no family fits: renamed checkpoints of tests/golden/models, opened by a headscope-map.json.
#include "core/model/model_map.h"

#include <iterator>

#include "core/base/error.h"
#include "core/io/json_text.h"
#include "core/model/map_draft.h"
#include "core/model/map_names.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

const std::string kModels = HEADSCOPE_SOURCE_DIR "/tests/golden/models/";

using Renaming = std::vector<std::pair<std::string, std::string>>;

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

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The same numbers under other names.
std::string renamed(const std::string& safetensors, const Renaming& names) {
  std::uint64_t length = 0;
  std::memcpy(&length, safetensors.data(), 8);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  const auto old = nlohmann::ordered_json::parse(safetensors.substr(8, length));
  for (const auto& [key, entry] : old.items()) {
    std::string name = key;
    for (const auto& [from, to] : names) {
      if (const std::size_t at = name.find(from); at != name.npos) name.replace(at, from.size(), to);
    }
    header[name] = entry;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t new_length = text.size();
  return std::string(reinterpret_cast<const char*>(&new_length), 8) + text + safetensors.substr(8 + length);
}

class ModelMap : public CheckpointTest {
 protected:
  void write_renamed(const std::string& model, const Renaming& names) const {
    nlohmann::json config = nlohmann::json::parse(read_file(kModels + model + "/config.json"));
    config["model_type"] = "homemade";
    write("config.json", config.dump());
    write("model.safetensors", renamed(read_file(kModels + model + "/model.safetensors"), names));
  }
  MapDraft drafted() const {
    const std::string config = folder() + "/config.json";
    return draft_map(parse_strict_json(read_file(config), config), WeightFiles::open(folder()));
  }
  // Writes a map that `change` has changed.
  void write_map(const std::function<void(nlohmann::json&)>& change) const {
    nlohmann::json map = nlohmann::json::parse(drafted().json);
    change(map);
    write(kMapName, map.dump());
  }
};

// Every number that a layer and the head use.
std::string bits_of(const Checkpoint& model) {
  std::string all;
  const auto add = [&all](const Tensor& tensor) {
    const std::vector<float> values = tensor.empty() ? std::vector<float>() : tensor.values();
    all += std::to_string(values.size()) + ":" +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  for (std::int64_t layer = 0; layer < model.architecture().num_layers; ++layer) {
    const BlockWeights block = model.block(layer);
    all += sha256_of(block.attention);
    for (const NormWeights& norm : {block.attention_norm, block.mlp_norm}) {
      add(norm.weight);
      add(norm.bias);
    }
    for (const Linear& linear : {block.gate, block.up, block.down}) {
      add(linear.weight);
      add(linear.bias);
    }
  }
  add(model.embedding().word);
  add(model.embedding().position);
  add(model.output_head().final_norm.weight);
  add(model.output_head().decoder.weight);
  return all;
}

void expect_same_model(const Checkpoint& found, const Checkpoint& expected) {
  Architecture architecture = found.architecture();
  architecture.family = expected.architecture().family;
  EXPECT_EQ(architecture, expected.architecture());
  EXPECT_TRUE(bits_of(found) == bits_of(expected));
  EXPECT_EQ(found.unexpected(), std::vector<std::string>{});
  EXPECT_EQ(found.output_head().kind, expected.output_head().kind);
}

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

TEST_F(ModelMap, WrongMapsNameTheKey) {
  write_renamed("llama", kLlama);
  struct Case {
    std::function<void(nlohmann::json&)> change;
    std::vector<std::string> said;
  };
  using Json = nlohmann::json;
  const Case cases[] = {
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
  for (const Case& each : cases) {
    write_map(each.change);
    expect_refused(each.said);
  }
  write(kMapName, "{");
  expect_refused({kMapName});
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
