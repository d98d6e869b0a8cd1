// What the panels derive from a trace: facts of stages, marks, ranges of rows. No window, no context.
#include <gtest/gtest.h>

#include <cmath>

#include "app/ui/map/axis_plots.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/provenance_view.h"
#include "app/ui/panel_data.h"
#include "core/attention/stage_sources.h"
#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

TEST(StageFacts, EveryStageHasItsSlicesRowsAndSources) {
  Request request = small_request();
  request.kv_heads = 2;
  request.qkv_layout = QkvLayout::blocked;
  for (const Request& each : {small_request(), request}) {
    const auto trace = trace_of(each);
    for (const Stage& stage : trace->stages) {
      for (std::int64_t head = 0; head < trace->num_heads(); ++head) {
        const std::int64_t slice = slice_of_head(*trace, stage.id, head);
        ASSERT_LT(slice, slice_count(*trace, stage.id));
        const Tensor matrix = slice_matrix(*trace, stage.id, 0, slice);
        EXPECT_EQ(matrix.rank(), 2);
        EXPECT_EQ(static_cast<std::size_t>(matrix.dim(0)), row_names(*trace, stage.id).size()) << stage_name(stage.id);
      }
      for (const StageId source : feeding_stages(*trace, stage.id)) {
        EXPECT_NE(trace->find(source), nullptr);
        EXPECT_LT(source, stage.id);
      }
    }
    EXPECT_TRUE(feeding_stages(*trace, StageId::input).empty());
    EXPECT_EQ(feeding_stages(*trace, StageId::context).size(), 2u);
  }
}

TEST(StageFacts, ASplitProjectionIsReadHeadByHead) {
  const auto trace = trace_of(small_request());
  ASSERT_NE(trace->find(StageId::qkv_split), nullptr);
  const Tensor matrix = slice_matrix(*trace, StageId::qkv_split, 0, 3);
  EXPECT_EQ(matrix.shape(), (Shape{5, 24}));
  EXPECT_EQ(matrix.at({2, 7}), trace->tensor(StageId::qkv_split).at({0, 2, 3, 7}));
  EXPECT_EQ(matrix.at({2, 7}), trace->tensor(StageId::qkv_heads).at({0, 3, 2, 7}));
}

TEST(StageFacts, ASelectionBeyondTheTraceIsBroughtInside) {
  const auto trace = trace_of(small_request());
  ViewState view;
  view.head = 11;
  view.batch = 4;
  view.stage = view.quantity = StageId::dropped_weights;
  view.cell = Cell{0, 2};
  Selection selection = selection_of(view, *trace);
  EXPECT_EQ(selection.head, 3);
  EXPECT_EQ(selection.batch, 0);
  EXPECT_EQ(selection.stage, StageId::weights);
  EXPECT_EQ(selection.quantity, StageId::weights);
  view.stage = StageId::weights;
  view.cell = Cell{5, 0};
  EXPECT_EQ(selection_of(view, *trace).cell, std::nullopt);
  view.cell = Cell{4, 4};
  EXPECT_EQ(selection_of(view, *trace).cell, (Cell{4, 4}));
  view.head = -3;
  EXPECT_EQ(selection_of(view, *trace).head, 0);
}

TEST(StageFacts, SelectingAScoreStageMovesTheHeadsToIt) {
  ViewState view;
  view.cell = Cell{3, 2};
  select_stage(view, StageId::raw_scores);
  EXPECT_EQ(view.quantity, StageId::raw_scores);
  EXPECT_EQ(view.cell, (Cell{3, 2}));
  select_stage(view, StageId::concat);
  EXPECT_EQ(view.quantity, StageId::raw_scores) << "the heads keep what they show";
  EXPECT_EQ(view.cell, (Cell{3, 0})) << "the token stays, the column means something else";
}

TEST(StageFacts, SayWhatAPixelHolds) {
  EXPECT_EQ(pixel_holds(12, 12, 192, 192, "weights"), "");
  EXPECT_EQ(pixel_holds(1200, 1200, 100, 100, "weights"), "Each pixel is the largest of 144 weights.");
  EXPECT_EQ(pixel_holds(400, 400, 193, 193, "weights"), "Each pixel is the largest of up to 16 weights.");
  EXPECT_EQ(pixel_holds(5, 512, 256, 100, "values"), "Each pixel is the largest of 2 values.");
}

TEST(Provenance, PixelsAreTheColoursOfTheirHeadAndToken) {
  Request request = small_request();
  request.merge = Merge::direct;
  const auto trace = trace_of(request);
  const CellGrid grid = fitted_oblong({0, 0}, 320, 100, 5, 32, 20);
  const Image image = provenance_picture(*trace, grid, 0, {1, 2, 3, 255});
  for (std::int64_t row = 0; row < 5; ++row) {
    for (std::int64_t feature = 0; feature < 32; ++feature) {
      const ImVec2 at = grid.cell_rect(row, feature).min;
      const Provenance from = provenance_of(Merge::direct, 4, 5, 8, row, feature);
      EXPECT_EQ(image.at(static_cast<int>(at.x), static_cast<int>(at.y)), provenance_color(from.head, from.position, 5))
          << row << ", " << feature;
    }
  }
}

TEST(Provenance, TheReportNamesTokensHeadsAndTheLeak) {
  Request request = small_request();
  request.merge = Merge::direct;
  const std::string sentence = merge_sentence(merge_report(request, 4, 5, 8), 4);
  EXPECT_NE(sentence.find("4 tokens"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("future leaks"), std::string::npos) << sentence;
  request.merge = Merge::transpose;
  EXPECT_EQ(merge_sentence(merge_report(request, 4, 5, 8), 4), "Each row holds its own token of 4 heads.");
}

TEST(Marks, AFullyMaskedRowIsExplainedByItsConvention) {
  Request request = small_request();
  EXPECT_EQ(fully_masked_sentence(*trace_of(request)), "");
  request.mask = {{MaskTerm::Kind::padding, 5, ""}};
  EXPECT_NE(fully_masked_sentence(*trace_of(request)).find("NaN"), std::string::npos);
  request.mask_fill = -1e20;
  EXPECT_NE(fully_masked_sentence(*trace_of(request)).find("weights are equal"), std::string::npos);
  request.fully_masked = FullyMasked::zero;
  EXPECT_NE(fully_masked_sentence(*trace_of(request)).find("set to 0"), std::string::npos);
}

TEST(CellNumbers, OfWeightsAreThoseOfPictures) {
  EXPECT_EQ(cell_label(0.8965), ".90");
  EXPECT_EQ(cell_label(1), "1");
  EXPECT_EQ(cell_label(0.0049), "");
}

TEST(RowRanges, AreReadBackFromTheirScale) {
  const std::optional<ValueRange> linear = range_of(value_scale({-2, 3, false, false}));
  ASSERT_TRUE(linear);
  EXPECT_TRUE(std::abs(linear->low + 2) <= 1e-5 && std::abs(linear->high - 3) <= 1e-5);
  const std::optional<ValueRange> log = range_of(value_scale({0.001, 1, true, false}));
  ASSERT_TRUE(log);
  EXPECT_TRUE(std::abs(log->low - 0.001) <= 1e-7 && std::abs(log->high - 1) <= 1e-4);
  EXPECT_EQ(range_of(value_scale({1, 1, false, false})), std::nullopt);
  EXPECT_EQ(range_of(value_scale({0, 0, true, false})), std::nullopt);
}

TEST(Profiles, KeepTheLargestOfEachPixel) {
  const std::vector<float> values = {0, 1, -3, 2, 0, 0, 5, 0};
  EXPECT_EQ(profile_of(values, 0, 0.5, 4), (std::vector<float>{1, -3, 0, 5}));
  EXPECT_EQ(profile_of(values, 2, 2, 4), (std::vector<float>{-3, -3, 2, 2}));
  EXPECT_TRUE(profile_of({}, 0, 1, 3) == (std::vector<float>{0, 0, 0}));
  EXPECT_TRUE(std::isnan(profile_of({1, NAN, 2}, 0, 1.0 / 3, 1)[0])) << "NaN is never lost";
}

TEST(RangeLabels, SayWhatTheRangeIs) {
  ViewState view;
  EXPECT_EQ(range_label(view, {0, 1, false, false}, true), "range: shared 0–1");
  EXPECT_EQ(range_label(view, {-2.313, 2.313, false, false}, false), "range: shared ±2.31");
  view.log_scale = true;
  EXPECT_EQ(range_label(view, {0, 1, false, false}, true), "range: shared 0–1, log");
  EXPECT_EQ(range_label(view, {-2, 2, false, false}, false), "range: shared ±2");
  view.range_per_head = true;
  EXPECT_EQ(range_label(view, {0, 1, false, false}, false), "range: per head");
}

}  // namespace
}  // namespace headscope::ui
