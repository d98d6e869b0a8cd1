// The layer that gathers the patches of SigLIP's images: its numbers, and which models have it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/attention/model_stages.h"
#include "core/explain/explain.h"
#include "core/explain/model_cell.h"
#include "core/model/checkpoint.h"
#include "tests/core/io/jpeg_files.h"
#include "tests/core/model/model_files.h"
#include "tests/core/model/vision_files.h"
#include "tests/core/model/vision_runs.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class VisionPool : public FilesTest {
 protected:
  // A copy of the model whose file calls a tensor otherwise.
  std::string renamed(const std::string& from, const std::string& to) const {
    fs::copy(kVisionModels + "siglip", path("model"),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const fs::path at = fs::path(path("model")) / "model.safetensors";
    std::stringstream text;
    text << std::ifstream(at, std::ios::binary).rdbuf();
    std::string bytes = text.str();
    bytes.replace(bytes.find(from), from.size(), to);
    std::ofstream(at, std::ios::binary) << bytes;
    return path("model");
  }
};

Request pool_request() {
  Request request = image_request("siglip");
  request.attention = AttentionList::pool;
  return request;
}

// The layer that gathers the patches: its one query is learned, its keys are what leaves the tower.
TEST_F(VisionPool, SiglipsPatchesAreGatheredAsByPyTorch) {
  const ExpectedStages expected("siglip");
  for (const BackendChoice choice : {BackendChoice::reference, BackendChoice::cpu}) {
    Request request = pool_request();
    request.backend = choice;
    const auto trace = run_whole(request);
    for (const StageId id : {StageId::input, StageId::key_input, StageId::query, StageId::key, StageId::value,
                             StageId::scores, StageId::weights, StageId::context, StageId::output}) {
      const std::string name(stage_name(id));
      expect_rows(trace->tensor(id), expected["pool." + name], name);
    }
    const std::vector<ModelStageId> ids{ModelStageId::stream, ModelStageId::mlp_in, ModelStageId::mlp_out,
                                        ModelStageId::final_norm, ModelStageId::projected};
    const std::vector<ModelStage> stages = model_stages("stage", *trace, ids, CancelToken());
    EXPECT_EQ(stages[0].tensor.shape(), (Shape{2, 1, 1, 12}));
    expect_rows(stages[0].tensor.sliced(0, 0, 1), expected["pool.input"], "the learned query");
    expect_rows(stages[0].tensor.sliced(0, 1, 2), expected["pool.hidden"], "what leaves the layer");
    expect_rows(stages[1].tensor, expected["pool.mlp_in"], "mlp_in");
    expect_rows(stages[2].tensor, expected["pool.mlp_out"], "mlp_out");
    expect_rows(stages[3].tensor, expected["pool.hidden"], "final_norm");
    expect_rows(stages[4].tensor, expected["pool.hidden"], "projected");
  }
}

TEST_F(VisionPool, CellsOfThePoolAreExplained) {
  const auto trace = run_whole(pool_request());
  for (const ModelStageId id : {ModelStageId::stream, ModelStageId::attention_out, ModelStageId::mlp_in,
                                ModelStageId::mlp_out, ModelStageId::final_norm, ModelStageId::projected}) {
    const bool by_layers = model_stage_info(id).by_layers();
    for (const std::int64_t layer : {0, 1}) {
      if (layer == 1 && id != ModelStageId::stream) continue;
      const ModelCell cell =
          model_cell("stage", *trace, id, by_layers ? Index{layer, 0, 0, 7} : Index{0, 0, 7}, CancelToken());
      EXPECT_NEAR(cell.steps.back().value, cell.value, 1e-5 * (1 + cell.magnitude)) << cell.formula;
    }
  }
}

// One learned query, a fused projection, keys that are another model's result: every stage's last cell lands.
TEST_F(VisionPool, EveryStageIsExplained) {
  const auto trace = run_whole(pool_request());
  for (const Stage& stage : trace->stages) {
    const Shape& shape = stage.tensor.shape();
    Index last;
    for (int axis = 0; axis < shape.count; ++axis) last.push_back(shape[axis] - 1);
    const Explanation why = explain(*trace, stage.id, last);
    const double value = static_cast<double>(stage.tensor.at(last));
    ASSERT_FALSE(why.steps.empty()) << stage_name(stage.id);
    EXPECT_NEAR(why.steps.back().value, value, 1e-5 * (1 + std::abs(value))) << stage_name(stage.id);
  }
}

// An engine that ran another image before gives the bits of one that knows nothing, in every item of a batch.
TEST_F(VisionPool, ThePoolFollowsItsImage) {
  Request request = pool_request();
  request.batch = 2;
  const auto fresh = run_whole(request);
  EXPECT_EQ(fresh->inputs->tokens, std::vector<std::string>{"[PROBE]"});
  EXPECT_EQ(fresh->inputs->key_tokens.front(), "r0c0");
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  engine.run(image_request("siglip"), CancelToken());
  Request other = request;
  other.image = path("a.jpg");
  std::ofstream(other.image, std::ios::binary) << test::small_jpeg();
  const auto otherwise = engine.run(other, CancelToken());
  EXPECT_NE(otherwise->model->final_hidden.values(), fresh->model->final_hidden.values());
  const auto again = engine.run(request, CancelToken());
  EXPECT_EQ(again->tensor(StageId::output).values(), fresh->tensor(StageId::output).values());
  EXPECT_EQ(again->model->final_hidden.values(), fresh->model->final_hidden.values());
  const std::vector<float> both = fresh->model->final_hidden.values();
  EXPECT_TRUE(std::equal(both.begin(), both.begin() + 12, both.begin() + 12)) << "the items of a batch are equal";
}

TEST_F(VisionPool, OnlyModelsWithALayerThatGathersHaveOne) {
  Request vit = image_request("vit");
  vit.attention = AttentionList::pool;
  expect_refusal<UsageError>([&] { run_whole(vit); }, {"--attention", "has no layer that gathers its patches"});
  Request text = pool_request();
  text.image.clear();
  text.token_ids = {1, 2};
  expect_refusal<ProblemError>([&] { run_whole(text); }, {"--attention", "pool needs an image"});
  Request later = pool_request();
  later.layer = 1;
  expect_refusal<UsageError>([&] { run_whole(later); }, {"--layer", "has one layer"});
  Request cross = image_request("siglip");
  cross.attention = AttentionList::cross;
  expect_refusal<UsageError>([&] { run_whole(cross); }, {"--attention", "has no encoder and decoder"});
  Request tower = image_request("siglip"), named = tower;
  named.attention = AttentionList::encoder;
  EXPECT_EQ(run_whole(named)->model->final_hidden.values(), run_whole(tower)->model->final_hidden.values());
}

// Files may be without the head: then the tower alone is opened.
TEST_F(VisionPool, ATowerWithoutItsHeadOpens) {
  const std::string model = renamed("vision_model.head.probe", "vision_model.head.drobe");
  EXPECT_EQ(Checkpoint::open(model, Tower::image)->part(Architecture::Part::pool), nullptr);
  const std::string part = renamed("vision_model.head.layernorm.bias", "vision_model.head.layernorn.bias");
  expect_refusal<Error>([&] { Checkpoint::open(part, Tower::image); },
                        {"siglip_vision", "vision_model.head.layernorm.bias [12] is missing"});
}

}  // namespace
}  // namespace headscope
