// Exports of stages that are computed when they are read.
#include <nlohmann/json.hpp>

#include "core/attention/engine.h"
#include "core/export/export_stages.h"
#include "core/io/atomic_file.h"
#include "core/io/npy.h"
#include "core/io/tensor_blocks.h"
#include "core/tensor/statistics.h"
#include "tests/core/export/small_export.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;

TEST(ExportOnDemand, WhatIsComputedWhenReadIsWrittenAsWhatIsStored) {
  EngineOptions options;
  Engine stored(options);
  options.stage_memory = 0;
  Engine on_demand(options);
  Request request = small_request();
  request.phrase = "";
  for (int k = 0; k < 70; ++k) request.phrase += "w" + std::to_string(k) + " ";
  const auto kept = stored.run(request, {}), computed = on_demand.run(request, {});
  ASSERT_FALSE(computed->tensor(StageId::weights).stored());
  for (const ExportFormat format : {ExportFormat::csv_matrix, ExportFormat::csv_long, ExportFormat::npy,
                                    ExportFormat::safetensors, ExportFormat::json}) {
    const IoFolder folder;
    const std::vector<StageId> stages = {StageId::masked_scores, StageId::weights, StageId::output};
    double share = 0;
    const auto names =
        export_stages(*computed, plan_of(folder.file("computed"), format, stages), [&](double done) { share = done; });
    EXPECT_EQ(export_stages(*kept, plan_of(folder.file("kept"), format, stages)), names);
    EXPECT_EQ(share, 1);
    for (const std::string& name : names) {
      if (name == "manifest.json") continue;
      EXPECT_EQ(read_small_file(folder.file("computed/" + name), 1 << 30),
                read_small_file(folder.file("kept/" + name), 1 << 30))
          << name;
    }
    const Json of_computed = Json::parse(read_small_file(folder.file("computed/manifest.json"), 1 << 30))["stages"];
    const Json of_kept = Json::parse(read_small_file(folder.file("kept/manifest.json"), 1 << 30))["stages"];
    for (const char* stage : {"query", "raw_scores", "masked_scores", "weights", "context"}) {
      for (const char* number : {"min", "max", "mean", "std", "nan_count", "inf_count"}) {
        EXPECT_EQ(of_computed[stage][number], of_kept[stage][number]) << stage << " " << number;
      }
    }
  }
}

TEST(ExportOnDemand, ARegionOfWhatIsComputedWhenReadComputesNothingElse) {
  EngineOptions options;
  options.stage_memory = 0;
  Engine engine(options);
  Trace trace = *engine.run(small_request(), {});
  std::int64_t cells = 0;
  for (Stage& stage : trace.stages) {
    if (stage.tensor.stored()) continue;
    stage.tensor = watched(stage.tensor, [&](std::span<const float> values) { cells += std::ssize(values); });
  }
  const IoFolder folder;
  ExportPlan plan = plan_of(folder.file("part"), ExportFormat::npy, {StageId::weights});
  plan.region = ExportRegion{0, 1, Range{1, 3}, Range{0, 2}};
  export_stages(trace, plan);
  EXPECT_EQ(read_npy(folder.file("part/weights.npy")).tensor.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(cells, 4);
  const Json stages = Json::parse(read_small_file(folder.file("part/manifest.json"), 1 << 30))["stages"];
  EXPECT_TRUE(stages["raw_scores"]["min"].is_null()) << "computed for the manifest alone";
  const Statistics part = statistics_of(read_npy(folder.file("part/weights.npy")).tensor);
  EXPECT_EQ(stages["weights"]["min"], part.min) << "of the cells that were computed anyway";
  EXPECT_EQ(stages["weights"]["max"], part.max);
  EXPECT_EQ(stages["weights"]["mean"], part.mean);
  EXPECT_FALSE(stages["query"]["min"].is_null());
}

}  // namespace
}  // namespace headscope
