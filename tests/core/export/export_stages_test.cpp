#include "core/export/export_stages.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/attention/engine.h"
#include "core/attention/stage_layout.h"
#include "core/export/manifest.h"
#include "core/export/session_file.h"
#include "core/io/csv.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "tests/core/export/small_export.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

float number(const std::string& text) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}

TEST(Export, ScoreMatricesCarryTheTokensOnBothSides) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  const auto names = export_stages(*trace, plan_of(folder.path(), ExportFormat::csv_matrix, {StageId::weights}));
  EXPECT_EQ(names,
            (std::vector<std::string>{"weights.b0.h0.csv", "weights.b0.h1.csv", "weights.b0.h2.csv", "manifest.json"}));
  EXPECT_EQ(folder.names().size(), 4u);
  const auto rows = csv_rows(read_bytes(folder.file("weights.b0.h2.csv")));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"query\\key", "one,", "\"two\"", "three"}));
  const Tensor& weights = trace->tensor(StageId::weights);
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i) + 1];
    ASSERT_EQ(row.size(), 4u);
    EXPECT_EQ(row[0], rows[0][static_cast<std::size_t>(i) + 1]);
    for (std::int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(number(row[static_cast<std::size_t>(j) + 1]), weights.at({0, 2, i, j}));
    }
  }
}

TEST(Export, MaskedScoresHoldMinusInfAndThreeDimensionalStagesFeatureNumbers) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  export_stages(*trace, plan_of(folder.path(), ExportFormat::csv_matrix, {StageId::masked_scores, StageId::concat}));
  EXPECT_EQ(csv_rows(read_bytes(folder.file("masked_scores.b0.h0.csv")))[1][3], "-inf");
  const auto rows = csv_rows(read_bytes(folder.file("concat.b0.csv")));
  ASSERT_EQ(rows.size(), 4u);
  ASSERT_EQ(rows[0].size(), 13u);
  EXPECT_EQ(rows[0][0], "token\\feature");
  EXPECT_EQ(rows[0][12], "11");
  EXPECT_EQ(number(rows[3][12]), trace->tensor(StageId::concat).at({0, 2, 11}));
}

Index index_at(const Stage& stage, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const MatrixLayout layout = stage_layout(stage.id);
  Index index = stage.tensor.shape();
  index[layout.batch] = b;
  if (layout.head >= 0) index[layout.head] = h;
  index[layout.rows] = i;
  index[layout.columns] = j;
  return index;
}

void expect_safetensors(const IoFolder& folder, const Stage& stage) {
  const SafetensorsFile file = SafetensorsFile::open(folder.file("all.safetensors"));
  const auto* const entry = file.find(std::string(stage_name(stage.id)));
  ASSERT_NE(entry, nullptr);
  EXPECT_TRUE(same_bits(file.tensor(*entry).values(), stage.tensor.values()));
  EXPECT_EQ(file.metadata().at("tokens"), R"(["one,","\"two\"","three"])");
}

void expect_json(const IoFolder& folder, const Stage& stage) {
  const std::string name(stage_name(stage.id));
  const Json json = Json::parse(read_bytes(folder.file(name + ".json")));
  EXPECT_EQ(json.at("stage"), name);
  EXPECT_EQ(json.at("shape").size(), static_cast<std::size_t>(stage.tensor.rank()));
  const Json flat = json.at("values").flatten();
  const std::vector<float> values = stage.tensor.values();
  ASSERT_EQ(flat.size(), values.size());
  std::size_t at = 0;
  for (const auto& value : flat) {
    const float expected = values[at++];
    EXPECT_TRUE(value.is_string() ? value == number_text(expected) : value.get<float>() == expected);
  }
}

void expect_long_csv(const IoFolder& folder, const Stage& stage) {
  const bool has_heads = stage_layout(stage.id).head >= 0;
  const auto rows = csv_rows(read_bytes(folder.file(std::string(stage_name(stage.id)) + ".csv")));
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(stage.tensor.size()) + 1);
  for (std::size_t n = 1; n < rows.size(); ++n) {
    std::vector<std::int64_t> at;
    for (std::size_t k = 0; k < (has_heads ? 4U : 3U); ++k) at.push_back(std::stoll(rows[n][k]));
    if (!has_heads) at.insert(at.begin() + 1, 0);
    EXPECT_EQ(rows[n].back(), number_text(stage.tensor.at(index_at(stage, at[0], at[1], at[2], at[3]))));
  }
}

// Returns how many cells the stage's files hold.
std::size_t expect_matrices(const IoFolder& folder, const Stage& stage) {
  std::size_t cells = 0;
  const MatrixLayout layout = stage_layout(stage.id);
  const std::int64_t heads = layout.head >= 0 ? stage.tensor.dim(layout.head) : 1;
  for (std::int64_t b = 0; b < stage.tensor.dim(0); ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      std::string name = std::string(stage_name(stage.id)) + ".b" + std::to_string(b);
      if (layout.head >= 0) name += ".h" + std::to_string(h);
      const auto rows = csv_rows(read_bytes(folder.file(name + ".csv")));
      for (std::size_t i = 1; i < rows.size(); ++i) {
        for (std::size_t j = 1; j < rows[i].size(); ++j, ++cells) {
          const Index at = index_at(stage, b, h, static_cast<std::int64_t>(i) - 1, static_cast<std::int64_t>(j) - 1);
          EXPECT_EQ(rows[i][j], number_text(stage.tensor.at(at)));
        }
      }
    }
  }
  return cells;
}

TEST(Export, EveryCellOfEveryStageIsTheTracesOwnInEveryFormat) {
  Request request = small_request();
  request.batch = 2;
  request.embedding = Embedding::sequence;
  request.kv_heads = std::nullopt;
  const auto trace = trace_of(request);
  ASSERT_NE(trace->find(StageId::qkv_split), nullptr);
  for (const ExportFormat format : {ExportFormat::csv_matrix, ExportFormat::csv_long, ExportFormat::npy,
                                    ExportFormat::safetensors, ExportFormat::json}) {
    const IoFolder folder;
    const auto names = export_stages(*trace, plan_of(folder.path(), format));
    std::size_t cells = 0, all = 0;
    for (const Stage& stage : trace->stages) {
      SCOPED_TRACE(std::string(stage_name(stage.id)) + " " + std::to_string(static_cast<int>(format)));
      all += static_cast<std::size_t>(stage.tensor.size());
      if (format == ExportFormat::npy) {
        const NpyArray array = read_npy(folder.file(std::string(stage_name(stage.id)) + ".npy"));
        EXPECT_EQ(array.tensor.shape(), stage.tensor.shape());
        EXPECT_TRUE(same_bits(array.tensor.values(), stage.tensor.values()));
      }
      if (format == ExportFormat::safetensors) expect_safetensors(folder, stage);
      if (format == ExportFormat::json) expect_json(folder, stage);
      if (format == ExportFormat::csv_long) expect_long_csv(folder, stage);
      if (format == ExportFormat::csv_matrix) cells += expect_matrices(folder, stage);
    }
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, folder.names()) << "what is returned is what is there";
    if (format == ExportFormat::csv_matrix) {
      EXPECT_EQ(cells, all);
    }
  }
}

TEST(Export, CrossAttentionNamesKeysByTheirOwnTokens) {
  const IoFolder folder;
  Request request = small_request();
  request.mask.clear();
  request.key_phrase = "alpha beta";
  const auto trace = trace_of(request);
  export_stages(*trace, plan_of(folder.path(), ExportFormat::csv_matrix,
                                {StageId::weights, StageId::key, StageId::query, StageId::key_input}));
  EXPECT_EQ(csv_rows(read_bytes(folder.file("weights.b0.h0.csv")))[0],
            (std::vector<std::string>{"query\\key", "alpha", "beta"}));
  EXPECT_EQ(csv_rows(read_bytes(folder.file("key.b0.h0.csv")))[2][0], "beta");
  EXPECT_EQ(csv_rows(read_bytes(folder.file("key_input.b0.csv")))[2][0], "beta");
  EXPECT_EQ(csv_rows(read_bytes(folder.file("query.b0.h0.csv")))[3][0], "three");
  const Json manifest = Json::parse(read_bytes(folder.file("manifest.json")));
  EXPECT_EQ(manifest.at("tokens"), (Json{"one,", "\"two\"", "three"}));
  EXPECT_EQ(manifest.at("key_tokens"), (Json{"alpha", "beta"}));
}

TEST(Export, ARegionKeepsItsIndicesAndTokens) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  ExportPlan plan = plan_of(folder.path(), ExportFormat::csv_matrix, {StageId::weights, StageId::concat});
  plan.region = ExportRegion{0, 1, Range{1, 3}, Range{0, 2}};
  const auto names = export_stages(*trace, plan);
  EXPECT_EQ(names, (std::vector<std::string>{"weights.b0.h1.csv", "concat.b0.csv", "manifest.json"}));
  const auto rows = csv_rows(read_bytes(folder.file("weights.b0.h1.csv")));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"query\\key", "one,", "\"two\""}));
  EXPECT_EQ(rows[2][0], "three");
  EXPECT_EQ(number(rows[2][2]), trace->tensor(StageId::weights).at({0, 1, 2, 1}));
  EXPECT_EQ(Json::parse(read_bytes(folder.file("manifest.json"))).at("region"), "0,1,1:3,0:2");

  plan.format = ExportFormat::csv_long;
  export_stages(*trace, plan);
  EXPECT_EQ(csv_rows(read_bytes(folder.file("weights.csv")))[1],
            (std::vector<std::string>{"0", "1", "1", "0", "\"two\"", "one,",
                                      number_text(trace->tensor(StageId::weights).at({0, 1, 1, 0}))}));
  plan.format = ExportFormat::npy;
  export_stages(*trace, plan);
  EXPECT_EQ(read_npy(folder.file("weights.npy")).tensor.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(read_npy(folder.file("concat.npy")).tensor.shape(), (Shape{1, 3, 12}));
}

TEST(Export, ARegionOfAllStagesTakesWhatLiesInIt) {
  const IoFolder folder;
  Request request = small_request();
  request.d_model = 6;  // head_dim 2: fewer columns than keys
  const auto trace = trace_of(request);
  ExportPlan plan = plan_of(folder.path(), ExportFormat::npy);
  plan.region = ExportRegion{std::nullopt, 2, std::nullopt, Range{0, 3}};
  export_stages(*trace, plan);
  EXPECT_EQ(read_npy(folder.file("weights.npy")).tensor.shape(), (Shape{1, 1, 3, 3}));
  EXPECT_EQ(read_npy(folder.file("query.npy")).tensor.shape(), (Shape{1, 1, 3, 2}));
}

TEST(Export, WhatCannotBeWrittenIsAUsageErrorAndMakesNoFolder) {
  const IoFolder folder;
  const auto trace = trace_of(small_request());
  ExportPlan plan = plan_of(folder.file("new"), ExportFormat::npy, {StageId::capped_scores});
  EXPECT_TRUE(contains(refusal_of<UsageError>([&] { export_stages(*trace, plan); }), "capped_scores"));
  plan.stages = {StageId::weights};
  for (const ExportRegion& region :
       {ExportRegion{1, {}, {}, {}}, ExportRegion{{}, 3, {}, {}}, ExportRegion{{}, {}, Range{0, 4}, {}},
        ExportRegion{{}, {}, {}, Range{2, 2}}, ExportRegion{{}, {}, {}, Range{2, 1}}, ExportRegion{-1, {}, {}, {}},
        ExportRegion{{}, {}, Range{-1, 2}, {}}}) {
    plan.region = region;
    EXPECT_TRUE(contains(refusal_of<UsageError>([&] { export_stages(*trace, plan); }), "--region"));
    refusal_of<UsageError>([&] { planned_files(*trace, plan); });
  }
  EXPECT_FALSE(fs::exists(folder.file("new")));
}

TEST(Export, PlannedFilesAreTheWrittenOnesAndBinarySizesAreExact) {
  const auto trace = trace_of(small_request());
  for (const ExportFormat format : {ExportFormat::csv_matrix, ExportFormat::csv_long, ExportFormat::npy,
                                    ExportFormat::safetensors, ExportFormat::json}) {
    const IoFolder folder;
    const ExportPlan plan = plan_of(folder.path(), format);
    std::vector<std::string> planned;
    for (const PlannedFile& file : planned_files(*trace, plan)) planned.push_back(file.name);
    planned.push_back("manifest.json");
    EXPECT_EQ(export_stages(*trace, plan), planned);
    for (const PlannedFile& file : planned_files(*trace, plan)) {
      const auto size = static_cast<std::int64_t>(fs::file_size(folder.file(file.name)));
      if (format == ExportFormat::npy || format == ExportFormat::safetensors) {
        EXPECT_EQ(file.estimated_bytes, size) << file.name;
      } else {
        EXPECT_LT(file.estimated_bytes, 4 * size + 400) << file.name;
        EXPECT_LT(size, 4 * file.estimated_bytes + 400) << file.name;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
