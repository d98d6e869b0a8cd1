// What is rounded of a layer, alone and together: by hand-made numbers, and as plain loops have it; heads and rows by
// their errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/compare/precision.h"
#include "core/compare/rounded_forward.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

const PrecisionFormat& parts_format(const char* option) {
  return *find_precision_format(option);
}

WideStages rounded(const Trace& trace, const char* option, Rounded what) {
  return forward_rounded(trace, rounding_of(parts_format(option), what), {});
}

// One query, one key, `features` features.
std::shared_ptr<const Trace> one_score(std::vector<float> query, std::vector<float> key) {
  const auto features = static_cast<std::int64_t>(query.size());
  Inputs inputs = alone_inputs({1, 1, 1, 1, 1, features, 1});
  inputs.query = Tensor::of(inputs.query.shape(), inputs.query.axes(), std::move(query));
  inputs.key = Tensor::of(inputs.key.shape(), inputs.key.axes(), std::move(key));
  return traced(alone_request(), inputs);
}

double score_of(const Trace& trace, const char* option, Rounded what) {
  return rounded(trace, option, what).at(StageId::raw_scores).values.front();
}

TEST(RoundedParts, SumsAreRoundedAfterEveryAdditionInTheOrderOfTheIndex) {
  // 2048 + 1 is a tie in float16, which stays 2048: three ones are lost one after the other, and not at the front.
  const auto behind = one_score({2048, 1, 1, 1}, {1, 1, 1, 1}), before = one_score({1, 1, 1, 2048}, {1, 1, 1, 1});
  EXPECT_EQ(score_of(*behind, "f16", Rounded::accumulation), 2048);
  EXPECT_EQ(score_of(*before, "f16", Rounded::accumulation), 2052) << "2051 is a tie as well";
  EXPECT_EQ(score_of(*behind, "f32", Rounded::accumulation), 2051);
  EXPECT_EQ(score_of(*behind, "f16", Rounded::storage), 2052);
  EXPECT_EQ(score_of(*behind, "f16", Rounded::inputs), 2051);
  EXPECT_EQ(score_of(*behind, "f16", Rounded::all), 2048);
}

TEST(RoundedParts, InputsAloneLeaveTheResultAsItIs) {
  const auto trace = one_score({1.00048828125F, 1}, {1, 1.00048828125F});  // 1 + 2^-11: a tie in float16
  EXPECT_EQ(score_of(*trace, "f16", Rounded::inputs), 2);
  EXPECT_EQ(score_of(*trace, "f16", Rounded::storage), 2) << "2.0009765625 is nearer to 2";
  EXPECT_EQ(score_of(*trace, "tf32", Rounded::usual), 2) << "both sides of the product are rounded";
  const WideStages tf32 = rounded(*trace, "tf32", Rounded::usual);
  EXPECT_EQ(tf32.at(StageId::query).values.front(), 1.00048828125) << "what is stored is float32";
  EXPECT_EQ(rounded(*trace, "f16", Rounded::accumulation).at(StageId::query).values.front(), 1.00048828125);
}

TEST(RoundedParts, Int8QueriesHaveAFactorForEachTokenOrFeature) {
  const auto trace = traced(alone_request(), alone_inputs({1, 2, 2, 1, 1, 2, 1}));
  const std::vector<float> query = trace->inputs->query.values();
  const auto whole = [](double value, double largest) { return std::nearbyint(value * 127 / largest) * largest / 127; };
  const auto at = [&](std::size_t k) { return static_cast<double>(query[k]); };
  const auto token = rounded(*trace, "i8-token", Rounded::inputs).at(StageId::query).values;
  const auto channel = rounded(*trace, "i8-channel", Rounded::inputs).at(StageId::query).values;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t d = 0; d < 2; ++d) {
      const double of_row = std::max(std::abs(at(2 * row)), std::abs(at(2 * row + 1)));
      const double of_feature = std::max(std::abs(at(d)), std::abs(at(2 + d)));
      EXPECT_NEAR(token[2 * row + d], whole(at(2 * row + d), of_row), 1e-12);
      EXPECT_NEAR(channel[2 * row + d], whole(at(2 * row + d), of_feature), 1e-12);
    }
  }
}

TEST(RoundedParts, QueriesOfAFusedProjectionAreItsColumns) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const auto trace = traced(phrase_request(), fused_inputs(layout));
    const WideStages exact = forward_in_double(*trace, {});
    for (const char* option : {"i8-token", "i8-channel"}) {
      const WideStages made = rounded(*trace, option, Rounded::usual);
      for (const StageId stage : {StageId::query, StageId::key, StageId::value}) {
        const std::vector<double>&right = exact.at(stage).values, &values = made.at(stage).values;
        const std::vector<double>& all = made.at(StageId::qkv).values;
        for (std::size_t k = 0; k < values.size(); ++k) {
          EXPECT_NE(std::find(all.begin(), all.end(), values[k]), all.end()) << option << stage_name(stage);
          EXPECT_NEAR(values[k], right[k], 0.15) << option << stage_name(stage);
        }
      }
    }
  }
}

// Parts that are rounded alone cost less than all of them, and every format and part gives a whole report.
TEST(RoundedParts, EveryFormatAndPartGivesEveryStage) {
  Request request = phrase_request();
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  request.mask_fill = -1e9;
  const auto trace = traced(request, fused_inputs(QkvLayout::per_head, {.batch = 2}));
  for (const PrecisionFormat& each : precision_formats()) {
    for (const Rounded what :
         {Rounded::usual, Rounded::inputs, Rounded::storage, Rounded::accumulation, Rounded::all}) {
      const Rounding rounding = rounding_of(each, what);
      if (!rounding_refusal(rounding).empty()) continue;
      const PrecisionReport report = precision_report(trace, std::vector<Rounding>{rounding}, {});
      const StageError& output = *report.formats.front().find(StageId::output);
      EXPECT_EQ(output.lost, 0) << each.name << " " << static_cast<int>(what);
      EXPECT_LT(output.max_error, 2) << each.name;
      const bool exact = each.option == "f32" && what == Rounded::inputs;
      EXPECT_EQ(output.max_error == 0, exact) << each.name << " " << static_cast<int>(what);
      const WideStages made = forward_rounded(*trace, rounding, {});
      for (const double weight : made.at(StageId::weights).values) {
        EXPECT_TRUE(weight >= 0 && weight <= 1.07) << each.name << " " << weight;
      }
    }
  }
}

TEST(RoundedParts, HeadsAndRowsAreListedWorstFirst) {
  const auto trace = traced(phrase_request(), fused_inputs(QkvLayout::per_head, {.batch = 2}));
  const PrecisionReport report = precision_report(trace, usual_roundings(), {});
  for (const FormatRun& run : report.formats) {
    for (const StageError& error : run.stages) {
      const Tensor& tensor = run.error->tensor(error.stage);
      ASSERT_FALSE(error.rows.empty());
      EXPECT_EQ(error.rows.front().max_error, error.max_error) << stage_name(error.stage);
      for (const std::vector<PlaceError>* places : {&error.heads, &error.rows}) {
        std::int64_t cells = 0;
        double sum = 0;
        for (std::size_t k = 0; k < places->size(); ++k) {
          const PlaceError& place = (*places)[k];
          if (k > 0) {
            EXPECT_LE(place.max_error, (*places)[k - 1].max_error);
          }
          if (place.cell.count > 0) {
            EXPECT_EQ(tensor.at(place.cell), static_cast<float>(place.max_error));
            EXPECT_EQ(place.cell[0], place.batch < 0 ? place.cell[0] : place.batch);
          }
          cells += place.cells;
          sum += place.mean_error * static_cast<double>(place.cells);
        }
        if (places->empty()) continue;
        EXPECT_EQ(cells, error.cells);
        EXPECT_NEAR(sum, error.mean_error * static_cast<double>(error.cells), 1e-12 + 1e-9 * sum);
      }
    }
    EXPECT_TRUE(run.find(StageId::output)->heads.empty());
    EXPECT_EQ(run.find(StageId::weights)->heads.size(), 2U);
    EXPECT_EQ(run.find(StageId::weights)->rows.size(), 10U);
  }
}

}  // namespace
}  // namespace headscope
