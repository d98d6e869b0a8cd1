// Names that programs give to tensors of a model mean what those programs mean by them.
#include "core/diagnose/program_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/diagnose/dump_axes.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

struct Name {
  const char* name;
  DumpPart part;
  StageId stage;
  std::int64_t layer;
};

TEST(ProgramNames, MeanWhatTheProgramsMean) {
  Architecture plain;
  const Name names[] = {
      {"hidden_states.12", DumpPart::hidden, {}, 12},
      {"attentions.3", DumpPart::stage, StageId::weights, 3},
      {"past_key_values.0.key", DumpPart::stage, StageId::key, 0},
      {"model.layers.31.self_attn.q_proj", DumpPart::stage, StageId::query_proj, 31},
      {"model.layers.2.self_attn.o_proj", DumpPart::stage, StageId::output, 2},
      {"model.layers.2.mlp", DumpPart::mlp_out, {}, 2},
      {"model.layers.2", DumpPart::leaving, {}, 2},
      {"transformer.h.5.attn.c_attn", DumpPart::stage, StageId::qkv, 5},
      {"h.5.ln_2", DumpPart::mlp_in, {}, 5},
      {"gpt_neox.layers.1.attention.dense", DumpPart::stage, StageId::output, 1},
      {"bert.encoder.layer.4.attention.self.key", DumpPart::stage, StageId::key_proj, 4},
      {"kq_soft_max-3", DumpPart::stage, StageId::weights, 3},
      {"l_out-3", DumpPart::leaving, {}, 3},
      {"ffn_out-0", DumpPart::mlp_out, {}, 0},
      {"blocks.7.attn.hook_z", DumpPart::stage, StageId::context, 7},
      {"weights.l3", DumpPart::stage, StageId::weights, 3},
      {"lm_head", DumpPart::logits, {}, -1},
  };
  for (const Name& each : names) {
    const std::vector<NameMeaning> meanings = meanings_of(each.name, plain);
    ASSERT_FALSE(meanings.empty()) << each.name;
    EXPECT_EQ(meanings.front().row->part, each.part) << each.name;
    EXPECT_EQ(meanings.front().layer, each.layer) << each.name;
    if (each.part == DumpPart::stage) {
      EXPECT_EQ(meanings.front().stage, each.stage) << each.name;
    }
    EXPECT_EQ(names_a_layer(each.name), each.layer >= 0) << each.name;
  }
}

TEST(ProgramNames, OneNameForTwoThingsHasBoth) {
  // Before and behind the rotary positions.
  const std::vector<NameMeaning> meanings = meanings_of("Qcur-3", Architecture());
  ASSERT_EQ(meanings.size(), 2U);
  EXPECT_EQ(meanings[0].stage, StageId::query_proj);
  EXPECT_EQ(meanings[1].stage, StageId::query);
}

TEST(ProgramNames, ANormHasTheNameOfItsPlaceInTheModel) {
  Architecture plain, normed;
  normed.norm_place = Architecture::NormPlace::around;
  const char* name = "model.layers.0.post_attention_layernorm";
  EXPECT_EQ(meanings_of(name, plain).front().row->part, DumpPart::mlp_in);
  EXPECT_EQ(meanings_of(name, normed).front().stage, StageId::attention_norm_out);
}

TEST(ProgramNames, OtherNamesAreNotKnown) {
  for (const char* name :
       {"hidden_states.", "hidden_states.01", "hidden_states.x", "hidden_states.1.2", "Qcur", "Qcur-",
        "model.layers.1.self_attn.q_proj.weight", "xhidden_states.1", "", "l_out-12345678901234567890"}) {
    EXPECT_TRUE(meanings_of(name, Architecture()).empty()) << name;
    EXPECT_FALSE(names_a_layer(name)) << name;
  }
}

TEST(DumpAxes, NumbersOfGgmlAreReadInEveryOrderThatFits) {
  const Tensor own = random_tensor({1, 2, 3, 4}, 1);  // [batch, heads, positions, features]
  const ProgramName row{"llama.cpp", "Qcur-{N}", DumpPart::stage, StageId::query, "ihd", NameFor::any, true};
  const AxesTarget target{own, false, 2, false};
  const Tensor slowest_first = own.permuted({0, 2, 1, 3}).dense_copy();
  // As NumPy has it, without the batch; as ggml writes sizes, fastest first, over the same numbers; turned.
  const std::vector<Tensor> theirs = {
      tensor_of({3, 2, 4}, slowest_first.values()),
      tensor_of({4, 2, 3}, slowest_first.values()),
      tensor_of({4, 2, 3}, own.permuted({0, 3, 1, 2}).dense_copy().values()),
  };
  for (const Tensor& each : theirs) {
    const std::vector<AxesReading> readings = axes_readings(each, row, target);
    double nearest = 1;
    for (const AxesReading& reading : readings) nearest = std::min(nearest, distance_of(reading, own));
    EXPECT_EQ(nearest, 0) << to_string(each.shape());
  }
  EXPECT_TRUE(axes_readings(random_tensor({3, 2, 5}, 2), row, target).empty());
}

TEST(DumpAxes, KeysBehindTheTextAreCutOff) {
  const Tensor own = random_tensor({1, 2, 3, 3}, 1);
  const ProgramName row{"llama.cpp", "kq_soft_max-{N}", DumpPart::stage, StageId::weights, "hij", NameFor::any, true};
  std::vector<float> padded;
  const std::vector<float> values = own.values();
  for (std::size_t k = 0; k < values.size(); k += 3) {
    padded.insert(padded.end(), {values[k], values[k + 1], values[k + 2], 7, 7, 7, 7, 7});
  }
  const auto readings = axes_readings(tensor_of({2, 3, 8}, padded), row, {own, true, 2, false});
  ASSERT_FALSE(readings.empty());
  EXPECT_EQ(distance_of(readings.front(), own), 0);
}

}  // namespace
}  // namespace headscope
