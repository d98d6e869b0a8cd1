// The text of an architecture differs where numbers may differ, and nowhere else.
#include "core/model/architecture_text.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/model/checkpoint.h"
#include "tests/core/corpus/changed_demo.h"

namespace headscope {
namespace {

using Change = std::function<void(Architecture&)>;

// Each changes one thing that numbers depend on.
std::vector<Change> changes_of_attention() {
  using A = Architecture;
  return {[](A& a) { a.part = A::Part::decoder; },
          [](A& a) { a.vocab_size = 7; },
          [](A& a) { a.num_heads = 2; },
          [](A& a) { a.num_kv_heads = 2; },
          [](A& a) { a.value_head_dim = 2; },
          [](A& a) { a.latents = LatentRule{}; },
          [](A& a) {
            a.latents = LatentRule{0, 0, 0, 1e-5};
          },
          [](A& a) { a.fused_rows = A::FusedRows::per_head; },
          [](A& a) { a.causal = true; },
          [](A& a) { a.sliding_window = 4; },
          [](A& a) {
            a.windowed = {true, false};
          },
          [](A& a) { a.alibi = true; },
          [](A& a) { a.relative = RelativeRule{}; },
          [](A& a) {
            a.relative = RelativeRule{32, 64, true};
          },
          [](A& a) { a.disentangled = DisentangledRule{}; },
          [](A& a) { a.score_scale = 0.25; },
          [](A& a) { a.scale_by_layer = true; },
          [](A& a) { a.score_softcap = 50; },
          [](A& a) { a.sinks = true; },
          [](A& a) { a.head_norm = true; },
          [](A& a) { a.head_norm_eps = 1e-6; },
          [](A& a) { a.qkv_clip = 8; },
          [](A& a) { a.position = A::Position::rotary; },
          [](A& a) { a.position_offset = 2; },
          [](A& a) { a.rotary = RotaryRule{}; },
          [](A& a) {
            a.rotary = RotaryRule{4, 0, RotaryRule::Pairs::halves, {1, 0.01}, 1};
          },
          [](A& a) {
            a.rotary = RotaryRule{4, 0, RotaryRule::Pairs::halves, {1, 0.02}, 1};
          },
          [](A& a) {
            a.rotary = RotaryRule{4, 0, RotaryRule::Pairs::neighbours, {1, 0.02}, 1};
          },
          [](A& a) {
            a.rotary = RotaryRule{4, 0, RotaryRule::Pairs::halves, {1, 0.02}, 1.5};
          },
          [](A& a) { a.window_rotary = RotaryRule{}; }};
}

std::vector<Change> changes_of_blocks() {
  using A = Architecture;
  return {[](A& a) { a.norm = A::Norm::rms; },
          [](A& a) { a.norm_eps = 1e-6; },
          [](A& a) { a.norm_plus_one = true; },
          [](A& a) { a.norm_place = A::NormPlace::after; },
          [](A& a) { a.norm_place = A::NormPlace::around; },
          [](A& a) { a.parallel = true; },
          [](A& a) { a.embedding_scale = 8; },
          [](A& a) { a.tied_embeddings = true; },
          [](A& a) { a.logit_scale = 0.5; },
          [](A& a) { a.logit_softcap = 30; },
          [](A& a) { a.mlp = A::Mlp::plain; },
          [](A& a) { a.mlp = A::Mlp::gated; },
          [](A& a) { a.activation = A::Activation::gelu_tanh; },
          [](A& a) { a.activation = A::Activation::quick_gelu; },
          [](A& a) { a.convolution = ConvolutionRule{}; },
          [](A& a) { a.mixture = MixtureRule{}; },
          [](A& a) { a.mixture.emplace().clamp = MixtureRule::Clamp{}; },
          [](A& a) { a.mixture.emplace().clamp = MixtureRule::Clamp{.slope = 1.5}; },
          [](A& a) { a.key_bias = false; }};
}

TEST(ArchitectureText, EveryChangeOfNumbersIsAnotherText) {
  std::vector<Change> changes = changes_of_attention();
  for (const Change& change : changes_of_blocks()) changes.push_back(change);
  std::set<std::string> texts = {architecture_text({})};
  for (const Change& change : changes) {
    Architecture changed;
    change(changed);
    EXPECT_TRUE(texts.insert(architecture_text(changed)).second) << architecture_text(changed);
  }
  EXPECT_EQ(texts.size(), changes.size() + 1);
}

TEST(ArchitectureText, IsReadableAndNamesWhatIsSet) {
  Architecture architecture;
  EXPECT_EQ(architecture_text(architecture), "");
  architecture.d_model = 8;
  architecture.causal = true;
  architecture.windowed = {true, false, true};
  architecture.norm_place = Architecture::NormPlace::around;
  architecture.rotary = RotaryRule{4, 0, RotaryRule::Pairs::neighbours, {}, 1};
  EXPECT_EQ(architecture_text(architecture),
            "d_model=8 causal=yes windowed=101 norm_place=around rotary=yes rotary.features=4 rotary.pairs=neighbours");
}

TEST(ArchitectureText, NamesLengthsAndLastBitsOfDoublesAreNotInIt) {
  Architecture a, b;
  a.family = "llama";
  b.family = "mistral";
  a.max_positions = 512;
  a.norm_eps = 1e-6;
  b.norm_eps = static_cast<double>(1e-6F);  // as a GGUF file holds it
  EXPECT_EQ(architecture_text(a), architecture_text(b));
}

TEST(ArchitectureText, IsOfWhatConfigSaysInAnyOrder) {
  const TemporaryFolder folder;
  const std::string plain = architecture_text(Checkpoint::open("demo:stories")->architecture());
  EXPECT_NE(plain.find("rotary.inverse_frequencies=8:"), plain.npos) << plain;
  const std::string turned = test::copied_demo("stories", folder / "turned");
  test::change_json(turned + "/config.json", [](nlohmann::ordered_json& config) {
    nlohmann::ordered_json other;
    for (auto item = config.rbegin(); item != config.rend(); ++item) other[item.key()] = item.value();
    config = other;
  });
  EXPECT_EQ(architecture_text(Checkpoint::open(turned)->architecture()), plain);
  const std::string theta = test::demo_with("stories", folder / "theta", "rope_theta", 50000.0);
  const std::string other = architecture_text(Checkpoint::open(theta)->architecture());
  EXPECT_TRUE(architecture_difference(plain, other).starts_with("rotary.inverse_frequencies is 8:"))
      << architecture_difference(plain, other);
}

TEST(ArchitectureText, DifferencesAreNamed) {
  EXPECT_EQ(architecture_difference("a=1 b=2", "a=1 b=2"), "");
  EXPECT_EQ(architecture_difference("a=1 b=2", "a=1 b=3"), "b is 2, there 3");
  EXPECT_EQ(architecture_difference("a=1", "a=1 b=3"), "b is not set, there 3");
  EXPECT_EQ(architecture_difference("a=1 b=3", "a=1"), "b is 3, there not set");
  EXPECT_EQ(architecture_difference("a=1 b=1 c=1 d=1", "a=2 b=2 c=2 d=2"),
            "a is 1, there 2; b is 1, there 2; c is 1, there 2; and 1 more");
  for (const char* odd : {" ", "=", "a", "a=1  b", "\xff=\n", "b=2 a=1"}) {
    EXPECT_NE(architecture_difference("a=1 b=2", odd), "") << odd;
  }
}

}  // namespace
}  // namespace headscope
