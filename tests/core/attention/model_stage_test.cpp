// The table of a model's stages.
#include "core/attention/model_stage.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/request/stage.h"

namespace headscope {
namespace {

TEST(ModelStage, RowsStandInTheOrderOfTheirIds) {
  int number = 0;
  std::set<std::string_view> names;
  for (const ModelStageInfo& info : model_stage_infos()) {
    EXPECT_EQ(static_cast<int>(info.id), number++);
    EXPECT_EQ(&model_stage_info(info.id), &info);
    EXPECT_EQ(model_stage_named(info.name), info.id);
    EXPECT_EQ(stage_named(info.name), std::nullopt) << "a layer's stages have names of their own: " << info.name;
    EXPECT_EQ(info.by_layers(), info.axes.size() == 4) << info.name;
    EXPECT_TRUE(names.insert(info.name).second);
    EXPECT_FALSE(info.help.empty());
  }
  EXPECT_EQ(number, 8);
  EXPECT_EQ(model_stage_named("weights"), std::nullopt);
  EXPECT_EQ(model_stage_names(), "stream, attention_out, mlp_in, mlp_out, conv_out, final_norm, logits, projected");
}

}  // namespace
}  // namespace headscope
