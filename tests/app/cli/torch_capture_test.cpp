// Attention that torch.save wrote, and layers that are a part of what it wrote.
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>

#include "tests/app/cli/command.h"
#include "tests/core/io/torch_lists.h"

namespace headscope {
namespace {

using test::saved_dict;
using test::saved_list;
using test::saved_tensor;
using test::SavedTensor;

class TorchCapture : public CommandTest {
 protected:
  // So many numbers of weights with two keys, whose rows add up to 1.
  static std::vector<float> shares(std::size_t values) {
    std::vector<float> all;
    for (std::size_t k = 0; k < values; k += 2) all.insert(all.end(), {0.25F, 0.75F});
    return all;
  }
  nlohmann::json captured(const std::string& name) {
    const Result info = cli({"info", name, "--json"});
    EXPECT_EQ(info.code, 0) << info.err;
    if (info.code != 0) return {};
    const auto json = nlohmann::json::parse(info.out);
    EXPECT_EQ(json["kind"], "capture") << info.out;
    EXPECT_EQ(cli({"run", "--model", name, "--summary"}).code, 0);
    return json["capture"];
  }
};

TEST_F(TorchCapture, WeightsOpenAsAnNpyOfThemDoes) {
  folder_.write("bare.pt", saved_tensor({{3, 2, 2, 2}, shares(24)}));
  nlohmann::json capture = captured("bare.pt");
  EXPECT_EQ(capture["layers"].size(), 3u);
  EXPECT_EQ(capture["batch"], 1);
  EXPECT_EQ(capture["layers"][0]["heads"], 2);
  write_array("bare", {3, 2, 2, 2}, shares(24));
  const auto array = nlohmann::json::parse(cli({"info", "bare.npy", "--json"}).out);
  EXPECT_EQ(array["capture"]["layers"], capture["layers"]);
  EXPECT_NE(cli({"run", "--model", "bare.pt"}).err.find("read as [layers, heads, q, k]: 3 layers"), std::string::npos);
}

TEST_F(TorchCapture, AListHasATensorForEachLayer) {
  // More than ten, so that their order is that of numbers.
  std::vector<SavedTensor> layers(12, {{2, 1, 2, 2}, shares(8)});
  layers[10].values = {1, 0, 1, 0, 1, 0, 1, 0};
  folder_.write("tuple.pt", saved_list(layers, true));
  folder_.write("list.pth", saved_list(layers));
  EXPECT_EQ(captured("tuple.pt")["layers"].size(), 12u);
  EXPECT_EQ(captured("list.pth")["batch"], 2);
  const Result csv = cli({"run", "--model", "tuple.pt", "--layer", "10", "--export", "weights", "--out", "out"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  std::ifstream in(folder_ / "out/weights.b1.h0.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "query\\key,0,1\n0,1,0\n1,1,0\n");
}

TEST_F(TorchCapture, NamesOfACaptureAreReadInAPt) {
  folder_.write("names.pt", saved_dict({{"layers.0.weights", {{1, 2, 2, 2}, shares(8)}}}));
  EXPECT_EQ(captured("names.pt")["layers"].size(), 1u);
}

TEST_F(TorchCapture, ADictionaryHoldsThemByNumberOrUnderANameOfAttention) {
  const SavedTensor layer{{1, 2, 2, 2}, shares(8)};
  folder_.write("by_name.pt", saved_dict({{"layer_1.attn", layer}, {"layer_0.attn", layer}}));
  EXPECT_EQ(captured("by_name.pt")["layers"].size(), 2u);
  // As torch.save writes {"attentions": (a, b), "tokens": ["x", "y"]} and {0: a, 1: b}.
  const auto list = [&](test::PickledStorages& storages) {
    return std::vector<std::string>{test::pickled_saved(layer, "0", storages),
                                    test::pickled_saved(layer, "1", storages)};
  };
  test::PickledStorages of_tuple, of_numbers;
  const std::vector<std::string> tuple = list(of_tuple), numbers = list(of_numbers);
  const std::string tokens = "](" + test::pickled_text("x") + test::pickled_text("y") + "e";
  folder_.write("outputs.pt",
                test::torch_archive(
                    test::pickled(test::pickled_dict({{"attentions", test::pickled_tuple(tuple)}, {"tokens", tokens}})),
                    of_tuple));
  EXPECT_EQ(captured("outputs.pt")["layers"].size(), 2u);
  EXPECT_NE(cli({"run", "--model", "outputs.pt"}).out.find("x | y"), std::string::npos);
  folder_.write("numbers.pt", test::torch_archive(test::pickled("}(" + test::pickled_whole(0) + numbers[0] +
                                                                test::pickled_whole(1) + numbers[1] + "u"),
                                                  of_numbers));
  EXPECT_EQ(captured("numbers.pt")["layers"].size(), 2u);
  // Tokens that are ids are not read, and a notice says so.
  const std::string ids = "](" + test::pickled_whole(7) + test::pickled_whole(8) + "e";
  folder_.write(
      "ids.pt",
      test::torch_archive(
          test::pickled(test::pickled_dict({{"attentions", test::pickled_tuple(tuple)}, {"tokens", ids}})), of_tuple));
  EXPECT_NE(cli({"run", "--model", "ids.pt"}).err.find("tokens is not what a capture has"), std::string::npos);
  // Numbers that are no weights, and names that skip a layer, are none.
  const SavedTensor other{{1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  folder_.write("none.pt", saved_dict({{"layer_0", other}, {"layer_1", other}}));
  EXPECT_EQ(nlohmann::json::parse(cli({"info", "none.pt", "--json"}).out)["kind"], "pytorch");
  folder_.write("gap.pt", saved_dict({{"layer_0", layer}, {"layer_2", layer}}));
  EXPECT_EQ(nlohmann::json::parse(cli({"info", "gap.pt", "--json"}).out)["kind"], "pytorch");
}

TEST_F(TorchCapture, TensorsThatAreNoWeightsAreListed) {
  folder_.write("x.pt", saved_tensor({{1, 2, 2}, {3, 4, 5, 6}}));
  const Result info = cli({"info", "x.pt", "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(nlohmann::json::parse(info.out)["kind"], "pytorch");
  EXPECT_NE(cli({"info", "x.pt"}).out.find("tensors without names"), std::string::npos);
  expect_refused(cli({"run", "--weights", "x.pt", "--phrase", "a"}), 3, {"x.pt", "no names"});
  folder_.write("other.pt", saved_dict({{"a", {{1}, {1}}}}));
  expect_refused(cli({"run", "--model", "other.pt"}), 3, {"other.pt is no capture", "layers.N.weights"});
}

class LayerInside : public TorchCapture {
 protected:
  // The tensors of a torch.nn.MultiheadAttention of 4 features.
  static std::vector<std::pair<std::string, SavedTensor>> layer(const std::string& before) {
    std::vector<std::pair<std::string, SavedTensor>> all = {{before + "in_proj_weight", {{12, 4}, {}}},
                                                            {before + "in_proj_bias", {{12}, {}}},
                                                            {before + "out_proj.weight", {{4, 4}, {}}},
                                                            {before + "out_proj.bias", {{4}, {}}}};
    float value = 0;
    for (auto& [name, tensor] : all) {
      const std::int64_t count = tensor.shape[0] * (tensor.shape.size() > 1 ? tensor.shape[1] : 1);
      for (std::int64_t k = 0; k < count; ++k) tensor.values.push_back(value += 0.01F);
    }
    return all;
  }
  static std::vector<std::pair<std::string, SavedTensor>> encoder_layer(const std::string& before) {
    auto all = layer(before + "self_attn.");
    const std::vector<float> values(16, 0.5F), few(4, 0.5F);
    for (const char* name : {"linear1.weight", "linear2.weight"}) all.push_back({before + name, {{4, 4}, values}});
    for (const char* name :
         {"norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias", "linear1.bias", "linear2.bias"})
      all.push_back({before + name, {{4}, few}});
    return all;
  }
};

TEST_F(LayerInside, TheOnlyAttentionLayerOfAStateDictOpens) {
  folder_.write("alone.pt", saved_dict(layer("")));
  folder_.write("encoder.pt", saved_dict(encoder_layer("")));
  const auto weights = [&](const std::string& file) {
    const Result run = cli({"run", "--weights", file, "--heads", "2", "--phrase", "a b c", "--summary"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out.substr(run.out.find('\n'));  // behind the line that names the file
  };
  EXPECT_EQ(weights("encoder.pt"), weights("alone.pt"));
  const Result explained = cli({"explain", "--weights", "encoder.pt", "--heads", "2", "--phrase", "a b c", "--stage",
                                "output", "--at", "0,1,2"});
  ASSERT_EQ(explained.code, 0) << explained.err;
  EXPECT_NE(explained.out.find("self_attn.out_proj.weight"), std::string::npos) << explained.out;
  const Result info = cli({"info", "encoder.pt"});
  EXPECT_NE(info.out.find("one attention layer in it, self_attn\n"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("d_model 4"), std::string::npos) << info.out;
}

// The same matrices under the names of Llama, BART, Meta and TransformerLens, alone and inside of more.
class LayerNames : public LayerInside {
 protected:
  using Dict = std::vector<std::pair<std::string, SavedTensor>>;
  SavedTensor part(std::size_t tensor, std::size_t begin, std::size_t end, std::vector<std::int64_t> shape) const {
    const std::vector<float>& values = all_[tensor].second.values;
    return SavedTensor{
        std::move(shape),
        {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)}};
  }
  Dict dict(const std::string& before, const std::array<const char*, 4>& names) const {
    Dict tensors;
    for (std::size_t k = 0; k < 3; ++k) {
      tensors.emplace_back(before + names[k] + ".weight", part(0, 16 * k, 16 * k + 16, {4, 4}));
      tensors.emplace_back(before + names[k] + ".bias", part(1, 4 * k, 4 * k + 4, {4}));
    }
    tensors.emplace_back(before + names[3] + ".weight", part(2, 0, 16, {4, 4}));
    tensors.emplace_back(before + names[3] + ".bias", part(3, 0, 4, {4}));
    return tensors;
  }
  // [heads, in, head_dim] of rows [heads head_dim, in], and [heads, head_dim, out] of columns [out, heads head_dim].
  Dict of_heads() const {
    Dict heads;
    for (std::size_t k = 0; k < 3; ++k) {
      const SavedTensor rows = part(0, 16 * k, 16 * k + 16, {4, 4});
      SavedTensor turned{{2, 4, 2}, std::vector<float>(16)};
      for (std::size_t row = 0; row < 4; ++row) {
        for (std::size_t in = 0; in < 4; ++in)
          turned.values[row / 2 * 8 + in * 2 + row % 2] = rows.values[row * 4 + in];
      }
      const std::string letter(1, "QKV"[k]);
      heads.emplace_back("attn.W_" + letter, turned);
      heads.emplace_back("attn.b_" + letter, part(1, 4 * k, 4 * k + 4, {2, 2}));
    }
    SavedTensor back{{2, 2, 4}, std::vector<float>(16)};
    for (std::size_t at = 0; at < 16; ++at) back.values[at % 4 * 4 + at / 4] = all_[2].second.values[at];
    heads.emplace_back("attn.W_O", back);
    heads.emplace_back("attn.b_O", part(3, 0, 4, {4}));
    heads.emplace_back("attn.mask", SavedTensor{{2, 2}, {1, 0, 1, 1}});
    return heads;
  }
  std::string output(const std::string& file) {
    const Result run = cli({"run", "--weights", file, "--heads", "2", "--phrase", "a b c", "--export", "weights,output",
                            "--format", "npy", "--out", file + ".out"});
    EXPECT_EQ(run.code, 0) << run.err;
    std::string bytes;
    for (const char* stage : {"/weights.npy", "/output.npy"}) {
      std::ifstream in(folder_ / (file + ".out" + stage));
      bytes += std::string(std::istreambuf_iterator<char>(in), {});
    }
    return bytes;
  }
  const Dict all_ = layer("");
};

TEST_F(LayerNames, ProjectionsOfEveryNameOpen) {
  folder_.write("alone.pt", saved_dict(all_));
  const std::string expected = output("alone.pt");
  folder_.write("llama.pt", saved_dict(dict("", {"q_proj", "k_proj", "v_proj", "o_proj"})));
  folder_.write("bart.pt", saved_dict(dict("self_attn.", {"q_proj", "k_proj", "v_proj", "out_proj"})));
  folder_.write("meta.pt", saved_dict(dict("layers.0.attention.", {"wq", "wk", "wv", "wo"})));
  folder_.write("lens.pt", saved_dict(of_heads()));
  for (const char* file : {"llama.pt", "bart.pt", "meta.pt", "lens.pt"}) EXPECT_TRUE(output(file) == expected) << file;
  EXPECT_NE(cli({"info", "lens.pt"}).out.find("[heads, in, out] (TransformerLens)"), std::string::npos);
  EXPECT_NE(cli({"run", "--weights", "lens.pt", "--phrase", "a"}).out.find("2 heads, d_model 4"), std::string::npos);
  // A norm of heads is no part of such a layer, and changes its numbers.
  auto normed = dict("", {"q_proj", "k_proj", "v_proj", "o_proj"});
  normed.emplace_back("q_norm.weight", SavedTensor{{2}, {1, 1}});
  folder_.write("normed.pt", saved_dict(normed));
  expect_refused(cli({"run", "--weights", "normed.pt", "--heads", "2", "--phrase", "a"}), 3, {"q_norm.weight"});
}

TEST_F(LayerInside, SeveralAreNamed) {
  auto both = encoder_layer("layers.0.");
  const auto second = encoder_layer("layers.1.");
  both.insert(both.end(), second.begin(), second.end());
  folder_.write("two.pt", saved_dict(both));
  expect_refused(cli({"run", "--weights", "two.pt", "--heads", "2", "--phrase", "a"}), 3,
                 {"two.pt", "2 attention layers", "layers.0.self_attn, layers.1.self_attn", "expected one"});
  EXPECT_NE(cli({"info", "two.pt"}).out.find("2 attention layers in it"), std::string::npos);
}

TEST_F(LayerInside, ADraftOfAMapKnowsTheFusedProjection) {
  folder_.write("encoder/model.pt", saved_dict(encoder_layer("layers.0.")));
  folder_.write("encoder/config.json", R"({"num_attention_heads": 2, "hidden_size": 4, "num_hidden_layers": 1})");
  const Result draft = cli({"info", "encoder", "--map-draft", "map.json"});
  ASSERT_EQ(draft.code, 0) << draft.err;
  const auto map = nlohmann::json::parse(std::ifstream(folder_ / "map.json"));
  EXPECT_EQ(map["tensors"]["qkv.weight"], "layers.{layer}.self_attn.in_proj_weight");
  EXPECT_EQ(map["tensors"]["qkv.bias"], "layers.{layer}.self_attn.in_proj_bias");
  EXPECT_EQ(map["tensors"]["output.weight"], "layers.{layer}.self_attn.out_proj.weight");
  EXPECT_EQ(map["tensors"]["up.weight"], "layers.{layer}.linear1.weight");
  EXPECT_EQ(map["tensors"]["down.weight"], "layers.{layer}.linear2.weight");
  EXPECT_EQ(map["architecture"]["fused_rows"], "blocked");
}

}  // namespace
}  // namespace headscope
