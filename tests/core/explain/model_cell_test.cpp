// Cells of a model's stages: their steps end in the number that is there, and their operands are the numbers of others.
#include "core/explain/model_cell.h"

#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

std::vector<ModelStageId> cell_stages_of(const Trace& trace) {
  std::vector<ModelStageId> ids;
  const Checkpoint& checkpoint = *trace.model->checkpoint;
  for (const ModelStageInfo& info : model_stage_infos()) {
    const bool mlp = checkpoint.architecture().mlp != Architecture::Mlp::none;
    const bool head = checkpoint.output_head().kind != OutputHead::Kind::none;
    if (info.needs == ModelStageNeeds::mlp && !mlp) continue;
    if (info.needs == ModelStageNeeds::convolution && !checkpoint.architecture().convolution) continue;
    if (info.needs == ModelStageNeeds::output_head && !head) continue;
    if (info.needs == ModelStageNeeds::projection && checkpoint.architecture().projection == 0) continue;
    ids.push_back(info.id);
  }
  return ids;
}

// A cell of each layer.
std::vector<Index> cells_of(const Tensor& tensor) {
  const std::int64_t features = tensor.dim(tensor.rank() - 1);
  if (tensor.rank() == 3) return {{0, 0, 1}, {0, 4, features - 1}};
  std::vector<Index> cells;
  for (std::int64_t layer = 0; layer < tensor.dim(0); ++layer)
    cells.push_back({layer, 0, 3, (layer * 5 + 2) % features});
  return cells;
}

TEST(ModelCell, StepsEndInTheNumberAndOperandsAreThoseOfTheOtherStages) {
  for (const std::string& name : model_names()) {
    if (name == "bert-pair") continue;
    SCOPED_TRACE(name);
    const auto trace = whole_model(golden_request(name));
    const std::vector<ModelStageId> ids = cell_stages_of(*trace);
    const std::vector<ModelStage> stages = model_stages("stage", *trace, ids, CancelToken());
    for (const ModelStage& stage : stages) {
      for (const Index& at : cells_of(stage.tensor)) {
        const std::string cell = cell_name(model_stage_info(stage.id).name, at);
        const ModelCell why = model_cell("stage", *trace, stage.id, at, CancelToken());
        EXPECT_EQ(why.stage, stage.id);
        EXPECT_EQ(why.value, static_cast<double>(stage.tensor.at(at))) << cell;
        EXPECT_EQ(why.formula.find(std::string(model_stage_info(stage.id).name) + "["), 0u) << why.formula;
        ASSERT_FALSE(why.steps.empty()) << cell;
        EXPECT_FALSE(why.operands.empty()) << cell;
        EXPECT_TRUE(std::abs(why.steps.back().value - why.value) <= 1e-5 * std::max(why.magnitude, std::abs(why.value)))
            << cell << ": " << why.steps.back().value << " for " << why.value;
        for (const Operand& operand : why.operands) {
          for (const ModelStage& other : stages) {
            if (model_stage_info(other.id).name != operand.stage) continue;
            EXPECT_EQ(operand.value, static_cast<double>(other.tensor.at(operand.index)))
                << cell << " " << operand.stage;
          }
        }
      }
    }
  }
}

TEST(ModelCell, TheStreamIsASumOfThree) {
  const auto trace = whole_model(golden_request("llama"));
  const ModelCell why = model_cell("stage", *trace, ModelStageId::stream, {2, 0, 3, 4}, CancelToken());
  EXPECT_EQ(why.formula, "stream[l,b,i,d] = stream[l-1,b,i,d] + attention_out[l-1,b,i,d] + mlp_out[l-1,b,i,d]");
  ASSERT_EQ(why.operands.size(), 3u);
  EXPECT_EQ(why.operands[0].stage, "stream");
  EXPECT_EQ(why.operands[0].index, (Index{1, 0, 3, 4}));
  EXPECT_EQ(why.operands[2].stage, "mlp_out");
  const ModelCell sum = model_cell("stage", *trace, ModelStageId::mlp_out, {0, 0, 3, 4}, CancelToken());
  EXPECT_EQ(sum.terms.size(), static_cast<std::size_t>(trace->model->checkpoint->architecture().mlp_width));
}

// What a patch put in is the last step, and all other cells end in their own number.
TEST(ModelCell, APatchIsTheLastStep) {
  for (const char* name : {"gpt2", "bert", "gemma2", "opt-after"}) {
    Request other = golden_request(name);
    other.token_ids[1] = other.token_ids[2];
    const auto trace = patched_model(golden_request(name), other, "1/stream:3@A;0/mlp_out:3@A;1/mlp_out:4@A");
    const std::vector<ModelStage> stages =
        model_stages("stage", *trace, std::array{ModelStageId::stream, ModelStageId::mlp_out}, CancelToken());
    for (const ModelStage& stage : stages) {
      for (std::int64_t layer = 0; layer < stage.tensor.dim(0); ++layer) {
        for (std::int64_t position = 2; position < 5; ++position) {
          const Index at{layer, 0, position, 5};
          SCOPED_TRACE(std::string(name) + " " + cell_name(model_stage_info(stage.id).name, at));
          const ModelCell why = model_cell("stage", *trace, stage.id, at, CancelToken());
          EXPECT_TRUE(std::abs(why.steps.back().value - why.value) <=
                      1e-5 * std::max(why.magnitude, std::abs(why.value)))
              << why.steps.back().value << " for " << why.value;
          const bool put = stage.id == ModelStageId::stream
                               ? layer == 1 && position == 3
                               : (layer == 0 && position == 3) || (layer == 1 && position == 4);
          EXPECT_EQ(why.steps.back().name == "patched", put);
          EXPECT_EQ(why.formula.ends_with(", then patched"), put) << why.formula;
        }
      }
    }
  }
}

TEST(ModelCell, CellsThatAreNotThereAreRefused) {
  const auto trace = whole_model(golden_request("llama"));
  for (const Index& at : {Index{9, 0, 0, 0}, Index{0, 0, 0}, Index{0, 0, 0, 999}}) {
    try {
      model_cell("stage", *trace, ModelStageId::stream, at, CancelToken());
      ADD_FAILURE();
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), "at");
    }
  }
}

}  // namespace
}  // namespace headscope
