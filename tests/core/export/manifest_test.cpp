#include "core/export/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/attention/engine.h"
#include "core/export/export_stages.h"
#include "core/export/session_file.h"
#include "tests/core/export/small_export.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

using Json = nlohmann::ordered_json;

TEST(Manifest, SaysWhatTheContractAsks) {
  const auto trace = trace_of(small_request());
  const Json manifest = Json::parse(manifest_json(*trace, {.files = {{StageId::weights, {"weights.npy"}}}}));
  for (const char* key : {"request", "version", "tokens", "key_tokens", "backend", "fully_masked_rows", "notices",
                          "weights_sha256", "seconds", "stages"}) {
    EXPECT_TRUE(manifest.contains(key)) << key;
  }
  EXPECT_EQ(manifest.at("tokens"), (Json{"one,", "\"two\"", "three"}));
  EXPECT_EQ(manifest.at("key_tokens"), manifest.at("tokens"));
  EXPECT_EQ(manifest.at("request").at("mask"), "causal");
  EXPECT_EQ(manifest.at("fully_masked_rows"), 0);
  EXPECT_EQ(manifest.at("weights_sha256").get<std::string>().size(), 64u);
  std::vector<std::string> names;
  for (const auto& [name, stage] : manifest.at("stages").items()) {
    names.push_back(name);
    for (const char* key : {"shape", "dtype", "operation", "files", "min", "max", "mean", "std", "l2_norm", "nan_count",
                            "inf_count", "seconds"}) {
      EXPECT_TRUE(stage.contains(key)) << name << " " << key;
    }
  }
  std::vector<std::string> expected;
  for (const Stage& stage : trace->stages) expected.emplace_back(stage_name(stage.id));
  EXPECT_EQ(names, expected);
  const Json& weights = manifest.at("stages").at("weights");
  EXPECT_EQ(weights.at("shape"), (Json{1, 3, 3, 3}));
  EXPECT_EQ(weights.at("dtype"), "float32");
  EXPECT_EQ(weights.at("files"), (Json{"weights.npy"}));
  EXPECT_EQ(weights.at("max"), 1.0);
  EXPECT_TRUE(manifest.at("stages").at("output").at("files").empty());
  EXPECT_EQ(manifest.at("stages").at("masked_scores").at("inf_count"), 9);
  EXPECT_EQ(weights.at("mean").get<double>() > 0.33 && weights.at("mean").get<double>() < 0.34, true);
}

TEST(Manifest, NumbersThatAreNotFiniteAreStringsAndFullyMaskedRowsAreCounted) {
  Request request = small_request();
  request.mask = {{MaskTerm::Kind::padding, 3, ""}};
  const auto trace = trace_of(request);
  const Json manifest = Json::parse(manifest_json(*trace, {}));
  EXPECT_EQ(manifest.at("fully_masked_rows"), 9);
  EXPECT_EQ(manifest.at("stages").at("weights").at("min"), "nan");
  EXPECT_EQ(manifest.at("stages").at("weights").at("nan_count"), 27);
  EXPECT_EQ(manifest.at("stages").at("masked_scores").at("inf_count"), 27);
  const IoFolder folder;
  export_stages(*trace, plan_of(folder.path(), ExportFormat::csv_matrix, {StageId::weights}));
  EXPECT_EQ(csv_rows(read_bytes(folder.file("weights.b0.h0.csv")))[1][1], "nan");
}

TEST(Manifest, IsASessionThatMakesTheSameRequest) {
  const auto trace = trace_of(small_request());
  EXPECT_TRUE(parse_session(manifest_json(*trace, {}), "manifest.json").request == small_request());
}

}  // namespace
}  // namespace headscope
