// Stages of a whole model in an export, beside those of the layer.
#include "core/export/model_stage_files.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/export/export_stages.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/tensor/statistics.h"
#include "tests/core/explain/attributed.h"
#include "tests/core/export/small_export.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;
using Id = ModelStageId;

class ModelStageFiles : public ::testing::Test {
 protected:
  ModelStageFiles() : trace_(whole_model(golden_request("gpt2"))) {}

  ExportPlan plan(ExportFormat format, const std::vector<Id>& ids, std::vector<StageId> stages = {}) const {
    ExportPlan plan = plan_of(folder_.path(), format, std::move(stages));
    plan.model_stages = model_stages("export", *trace_, ids, CancelToken());
    return plan;
  }
  Json manifest() const { return Json::parse(read_bytes(folder_.file("manifest.json"))); }

  IoFolder folder_;
  std::shared_ptr<const Trace> trace_;
};

float files_number(const std::string& text) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}

TEST_F(ModelStageFiles, MatricesAreNamedByLayerAndItem) {
  const ExportPlan wanted = plan(ExportFormat::csv_matrix, {Id::stream, Id::logits}, {StageId::output});
  const std::vector<std::string> names = export_stages(*trace_, wanted);
  EXPECT_EQ(names, (std::vector<std::string>{"output.b0.csv", "stream.l0.b0.csv", "stream.l1.b0.csv",
                                             "stream.l2.b0.csv", "logits.b0.csv", "manifest.json"}));
  const auto rows = csv_rows(read_bytes(folder_.file("stream.l2.b0.csv")));
  const Tensor& stream = wanted.model_stages[0].tensor;
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(stream.dim(2)) + 1);
  EXPECT_EQ(rows[0][0], "token\\feature");
  EXPECT_EQ(rows[0][5], "4");
  EXPECT_EQ(rows[3][0], trace_->query_labels()[2]);
  for (std::int64_t i = 0; i < stream.dim(2); ++i) {
    for (std::int64_t d = 0; d < stream.dim(3); ++d) {
      EXPECT_EQ(files_number(rows[static_cast<std::size_t>(i) + 1][static_cast<std::size_t>(d) + 1]),
                stream.at({2, 0, i, d}));
    }
  }
  const auto logits = csv_rows(read_bytes(folder_.file("logits.b0.csv")));
  EXPECT_EQ(logits[0].size(), static_cast<std::size_t>(wanted.model_stages[1].tensor.dim(2)) + 1);
  EXPECT_EQ(files_number(logits[7][24]), wanted.model_stages[1].tensor.at({0, 6, 23}));
}

TEST_F(ModelStageFiles, TheLongTableBeginsWithTheLayer) {
  const ExportPlan wanted = plan(ExportFormat::csv_long, {Id::mlp_out, Id::final_norm});
  EXPECT_EQ(export_stages(*trace_, wanted),
            (std::vector<std::string>{"mlp_out.csv", "final_norm.csv", "manifest.json"}));
  const auto rows = csv_rows(read_bytes(folder_.file("mlp_out.csv")));
  EXPECT_EQ(rows[0], (std::vector<std::string>{"layer", "batch", "position", "feature", "token", "value"}));
  const Tensor& out = wanted.model_stages[0].tensor;
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(out.size()) + 1);
  const std::vector<float> values = out.values();
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_EQ(files_number(rows[k + 1][5]), values[k]) << k;
  EXPECT_EQ(rows.back()[0], "1");
  EXPECT_EQ(rows.back()[1], "0");
  EXPECT_EQ(rows.back()[2], "6");
  EXPECT_EQ(rows.back()[3], "11");
  EXPECT_EQ(csv_rows(read_bytes(folder_.file("final_norm.csv")))[0],
            (std::vector<std::string>{"batch", "position", "feature", "token", "value"}));
}

TEST_F(ModelStageFiles, EveryFormatHoldsTheNumbersAndTheManifestTheirStatistics) {
  std::vector<Id> all;
  for (const ModelStageInfo& info : model_stage_infos()) {
    const bool of_few = info.needs == ModelStageNeeds::projection || info.needs == ModelStageNeeds::convolution;
    if (!of_few) all.push_back(info.id);
  }
  for (const ExportFormat format : {ExportFormat::csv_matrix, ExportFormat::csv_long, ExportFormat::npy,
                                    ExportFormat::safetensors, ExportFormat::json}) {
    const ExportPlan wanted = plan(format, all, {StageId::weights});
    export_stages(*trace_, wanted);
    const Json stages = manifest().at("stages");
    for (const ModelStage& stage : wanted.model_stages) {
      const std::string name(model_stage_info(stage.id).name);
      const Json& listed = stages.at(name);
      const std::vector<float> values = stage.tensor.values();
      StatisticsSum sum;
      sum.add(values);
      const Statistics numbers = sum.result();
      EXPECT_EQ(listed.at("min").get<double>(), numbers.min) << name;
      EXPECT_EQ(listed.at("max").get<double>(), numbers.max) << name;
      EXPECT_NEAR(listed.at("mean").get<double>(), numbers.mean, 1e-9) << name;
      EXPECT_EQ(listed.at("nan_count"), 0);
      EXPECT_EQ(listed.at("dtype"), "float32");
      EXPECT_EQ(listed.at("shape").size(), static_cast<std::size_t>(stage.tensor.rank()));
      EXPECT_EQ(listed.at("shape")[0], stage.tensor.dim(0));
      EXPECT_EQ(listed.at("operation"), stage.operation);
      EXPECT_FALSE(listed.at("files").empty());
      EXPECT_TRUE(listed.contains("seconds"));
      if (format == ExportFormat::npy) {
        EXPECT_EQ(read_npy(folder_.file(name + ".npy")).tensor.values(), values) << name;
      } else if (format == ExportFormat::safetensors) {
        const SafetensorsFile file = SafetensorsFile::open(folder_.file("all.safetensors"));
        ASSERT_NE(file.find(name), nullptr);
        EXPECT_EQ(file.tensor(*file.find(name)).values(), values) << name;
      } else if (format == ExportFormat::json) {
        const Json json = Json::parse(read_bytes(folder_.file(name + ".json")));
        EXPECT_EQ(json.at("stage"), name);
        EXPECT_EQ(json.at("shape"), listed.at("shape"));
      }
    }
    EXPECT_FALSE(stages.at("weights").at("files").empty()) << "stages of the layer stand beside them";
    EXPECT_TRUE(stages.at("output").at("files").empty());
  }
}

TEST_F(ModelStageFiles, ARegionIsOfItemsPositionsAndFeatures) {
  ExportPlan wanted = plan(ExportFormat::npy, {Id::stream});
  wanted.region = ExportRegion{0, std::nullopt, Range{2, 5}, Range{1, 4}};
  export_stages(*trace_, wanted);
  const Tensor part = read_npy(folder_.file("stream.npy")).tensor;
  EXPECT_EQ(part.shape(), (Shape{3, 1, 3, 3}));
  EXPECT_EQ(part.at({2, 0, 1, 2}), wanted.model_stages[0].tensor.at({2, 0, 3, 3}));
  EXPECT_TRUE(manifest().at("stages").at("stream").at("min").is_null());

  wanted.region = ExportRegion{std::nullopt, 1, std::nullopt, std::nullopt};
  EXPECT_THROW(exported_model_stages(wanted), UsageError) << "no heads";
  wanted.region = ExportRegion{std::nullopt, std::nullopt, Range{0, 99}, std::nullopt};
  EXPECT_THROW(export_stages(*trace_, wanted), UsageError);
}

}  // namespace
}  // namespace headscope
