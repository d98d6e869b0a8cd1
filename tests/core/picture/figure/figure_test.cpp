#include "core/picture/figure/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/picture/view_options.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::vector<ViewSpec> many_views() {
  std::vector<ViewSpec> views;
  for (const auto& [kind, stage] :
       {std::pair(ViewKind::heads, StageId::weights), std::pair(ViewKind::heads, StageId::query),
        std::pair(ViewKind::head, StageId::weights), std::pair(ViewKind::head, StageId::masked_scores),
        std::pair(ViewKind::stage, StageId::input), std::pair(ViewKind::stage, StageId::qkv_split),
        std::pair(ViewKind::stage, StageId::key), std::pair(ViewKind::concat, StageId::weights),
        std::pair(ViewKind::arcs, StageId::weights), std::pair(ViewKind::neurons, StageId::weights)}) {
    ViewSpec view = view_of(kind, stage);
    views.push_back(view);
    view.theme = Theme::light;
    view.scale = 2;
    view.log_scale = true;
    views.push_back(view);
    view.scale = 1;
    view.width = 777;
    view.range = RangeKind::row;
    views.push_back(view);
    view.width.reset();
    view.labels = view.color_bar = false;
    view.cell = 3;
    views.push_back(view);
  }
  return views;
}

// From one token to hundreds: the size is known before, everything written lies inside, and nothing is on top of the
// colour map.
TEST(Figure, of_any_length_has_its_announced_size_and_no_word_leaves_it) {
  for (const int tokens : {1, 2, 5, 40, 300}) {
    for (const char* merge : {"transpose", "direct"}) {
      const auto trace = small_trace(tokens, {{"mask", "causal"}, {"merge", merge}});
      for (const ViewSpec& view : many_views()) {
        const FigureSize size = figure_size(*trace, view);
        const FigurePlan plan = figure_plan(*trace, view, false);
        EXPECT_EQ(plan.width, size.width);
        EXPECT_EQ(plan.height, size.height);
        if (view.width) {
          EXPECT_EQ(size.width, *view.width);
        }
        for (const TextItem& item : items_of<TextItem>(plan)) {
          const double extent = drawn_width(item.text, item.role, item.size);
          const double right = item.x + (item.quarter_turns == 0 ? extent : 0);
          const double top = item.y - (item.quarter_turns == 0 ? 0.7 * item.size : extent);
          EXPECT_GE(item.x, 0) << item.text;
          EXPECT_LE(right, size.width) << item.text << ' ' << tokens << ' ' << view_json(view);
          EXPECT_GE(top, 0) << item.text << ' ' << tokens;
          EXPECT_LE(item.y, size.height) << item.text;
        }
        for (const MapItem& map : items_of<MapItem>(plan)) {
          EXPECT_GE(map.x, 0);
          EXPECT_LE(map.x + map.spec.width, size.width);
          EXPECT_LE(map.y + map.spec.height, size.height);
        }
      }
    }
  }
}

TEST(Figure, the_same_trace_and_view_give_the_same_pixels) {
  const auto trace = small_trace(7, {{"mask", "causal"}});
  const auto again = small_trace(7, {{"mask", "causal"}});
  for (const ViewSpec& view : many_views()) {
    const Image image = draw_figure(*trace, view);
    EXPECT_EQ(image.pixels, draw_figure(*again, view).pixels);
    EXPECT_EQ(image.width, figure_size(*trace, view).width);
    EXPECT_EQ(image.height, figure_size(*trace, view).height);
  }
}

TEST(Figure, rows_drawn_a_few_at_a_time_are_the_rows_of_the_whole) {
  const auto trace = small_trace(7, {{"mask", "causal"}});
  std::vector<ViewSpec> views = many_views();
  ViewSpec pooled = view_of(ViewKind::head);
  pooled.width = 200;
  views.push_back(pooled);
  ViewSpec single = view_of(ViewKind::head, StageId::masked_scores);
  single.cell = 1;
  single.range = RangeKind::row;
  views.push_back(single);
  const auto large = small_trace(90, {{"mask", "window:20"}});
  for (const ViewSpec& view : views) {
    const Trace& of = view == pooled || view == single ? *large : *trace;
    const Image whole = draw_figure(of, view);
    const PictureRows rows = figure_rows(of, view);
    for (const int step : {1, 7, 64}) {
      for (int top = 0; top < whole.height; top += step) {
        const Range part{top, std::min(top + step, whole.height)};
        Image strip(whole.width, static_cast<int>(part.size()), {1, 2, 3, 4});
        rows.load(part);
        rows.draw(part, strip);
        ASSERT_TRUE(std::equal(strip.pixels.begin(), strip.pixels.end(), &whole.at(0, top))) << step << ", row " << top;
      }
    }
  }
}

TEST(Figure, cells_are_whole_pixels_the_largest_that_fit) {
  const auto trace = small_trace(12);
  ViewSpec view = view_of(ViewKind::head);
  EXPECT_EQ(items_of<MapItem>(figure_plan(*trace, view, false)).at(0).spec.width, 12 * 34);
  view.width = 600;
  const int width = items_of<MapItem>(figure_plan(*trace, view, false)).at(0).spec.width;
  EXPECT_EQ(width % 12, 0);
  view.cell = 9;
  EXPECT_EQ(items_of<MapItem>(figure_plan(*trace, view, false)).at(0).spec.width, 12 * 9);
  view.scale = 2;
  EXPECT_EQ(items_of<MapItem>(figure_plan(*trace, view, false)).at(0).spec.width, 2 * 12 * 9);
  // Many more cells than pixels: the map fills the room, and says what a pixel holds.
  const auto large = small_trace(300);
  view = view_of(ViewKind::head);
  view.width = 240;
  const FigurePlan plan = figure_plan(*large, view, false);
  EXPECT_LT(items_of<MapItem>(plan).at(0).spec.width, 240);
  EXPECT_TRUE(has_text(plan, "largest"));
}

TEST(Figure, the_heatmap_in_it_is_draw_heatmaps_own) {
  const auto trace = small_trace(6, {{"mask", "causal"}});
  ViewSpec view = view_of(ViewKind::head);
  view.cell = 10;  // without numbers
  const FigurePlan plan = figure_plan(*trace, view, false);
  const MapItem map = items_of<MapItem>(plan).at(0);
  EXPECT_EQ(map.spec.range, (ValueRange{0, 1}));
  const Image figure = draw_figure(*trace, view), heatmap = draw_heatmap(map.spec);
  for (int y = 0; y < heatmap.height; ++y) {
    for (int x = 0; x < heatmap.width; ++x) EXPECT_EQ(figure.at(map.x + x, map.y + y), heatmap.at(x, y));
  }
  EXPECT_GT(count_of(figure, palette(Theme::dark).hatch), 50);
}

TEST(Figure, numbers_stand_in_cells_from_24_pixels_but_not_in_hidden_ones) {
  const auto trace = small_trace(3, {{"mask", "causal"}});
  for (const int cell : {23, 24, 34}) {
    ViewSpec view = view_of(ViewKind::head);
    view.cell = cell;
    const MapItem map = items_of<MapItem>(figure_plan(*trace, view, false)).at(0);
    const Image figure = draw_figure(*trace, view), heatmap = draw_heatmap(map.spec);
    const auto changed = [&](int row, int column) {
      int count = 0;
      for (int y = row * cell; y < (row + 1) * cell; ++y) {
        for (int x = column * cell; x < (column + 1) * cell; ++x) {
          count += figure.at(map.x + x, map.y + y) == heatmap.at(x, y) ? 0 : 1;
        }
      }
      return count;
    };
    EXPECT_EQ(changed(0, 0) > 0, cell >= 24) << cell;
    EXPECT_EQ(changed(2, 1) > 0, cell >= 24) << cell;
    EXPECT_EQ(changed(0, 2), 0) << cell;
  }
}

TEST(Figure, tokens_are_named_from_11_pixels_a_cell_then_counted_in_steps) {
  const auto trace = small_trace(40);
  ViewSpec view = view_of(ViewKind::head);
  view.cell = 11;
  EXPECT_TRUE(has_text(figure_plan(*trace, view, false), "because"));
  view.cell = 10;
  const FigurePlan plan = figure_plan(*trace, view, false);
  int named = 0;
  for (const TextItem& item : items_of<TextItem>(plan)) named += item.text == "animal" ? 1 : 0;
  EXPECT_EQ(named, 0);
  for (const char* index : {"0", "5", "10", "35"}) EXPECT_TRUE(has_line(plan, index)) << index;
  view.labels = false;
  EXPECT_FALSE(has_text(figure_plan(*trace, view, false), "key \u2192"));
}

TEST(Figure, features_are_counted_in_powers_of_two) {
  const auto trace = small_trace(4, {{"d-model", "256"}});
  const FigurePlan plan = figure_plan(*trace, view_of(ViewKind::stage, StageId::output), false);
  EXPECT_TRUE(has_line(plan, "32"));
  EXPECT_TRUE(has_line(plan, "48"));
  EXPECT_FALSE(has_line(plan, "50"));
  EXPECT_TRUE(has_text(plan, "[1, 4, 256]"));
  EXPECT_TRUE(has_text(plan, "feature \u2192"));
}

TEST(Figure, rows_of_nan_are_drawn_and_said) {
  const auto trace = small_trace(4, {{"mask", "padding:4"}});
  ViewSpec view = view_of(ViewKind::heads);
  const Image image = draw_figure(*trace, view);
  EXPECT_GT(count_of(image, kNanColor), 4 * 16 * 200);
  EXPECT_TRUE(has_text(figure_plan(*trace, view, false), "NaN"));
  view.range = RangeKind::row;
  EXPECT_GT(count_of(draw_figure(*trace, view), kNanColor), 4 * 16 * 200);
  for (const StageId stage : {StageId::context, StageId::output}) {
    EXPECT_GT(count_of(draw_figure(*trace, view_of(ViewKind::stage, stage)), kNanColor), 16);
  }
  EXPECT_GT(count_of(draw_figure(*trace, view_of(ViewKind::concat)), kNanColor), 16);
}

TEST(Figure, all_heads_share_one_range_and_a_head_has_its_own) {
  const auto trace = small_trace(6, {{"init-gain", "3"}});
  const auto maps = items_of<MapItem>(figure_plan(*trace, view_of(ViewKind::heads, StageId::scores), false));
  ASSERT_EQ(maps.size(), 4U);
  double largest = 0;
  for (std::int64_t head = 0; head < 4; ++head) {
    EXPECT_EQ(maps[static_cast<std::size_t>(head)].spec.range, maps[0].spec.range);
    ViewSpec view = view_of(ViewKind::head, StageId::scores);
    view.head = head;
    const ValueRange own = items_of<MapItem>(figure_plan(*trace, view, false)).at(0).spec.range;
    EXPECT_EQ(own.low, -own.high);
    largest = std::max(largest, own.high);
  }
  EXPECT_EQ(maps[0].spec.range.high, largest);
  ViewSpec fixed = view_of(ViewKind::heads, StageId::scores);
  fixed.range = RangeKind::fixed;
  fixed.range_low = -0.25;
  fixed.range_high = 4;
  EXPECT_EQ(items_of<MapItem>(figure_plan(*trace, fixed, false)).at(0).spec.range, (ValueRange{-0.25, 4}));
}

TEST(Figure, colour_maps_follow_quantity_and_theme_until_one_is_chosen) {
  const auto trace = small_trace(3);
  const auto map_in = [&](StageId stage, Theme theme, std::optional<ColorMap> chosen) {
    ViewSpec view = view_of(ViewKind::head, stage);
    view.theme = theme;
    view.colormap = chosen;
    return items_of<MapItem>(figure_plan(*trace, view, true)).at(0).spec.map;
  };
  EXPECT_EQ(map_in(StageId::weights, Theme::light, {}), ColorMap::viridis);
  EXPECT_EQ(map_in(StageId::scores, Theme::dark, {}), ColorMap::icefire);
  EXPECT_EQ(map_in(StageId::scores, Theme::light, {}), ColorMap::coolwarm);
  EXPECT_EQ(map_in(StageId::scores, Theme::light, ColorMap::magma), ColorMap::magma);
}

TEST(Figure, a_batch_is_chosen_and_named) {
  const auto trace = small_trace(3, {{"batch", "3"}, {"embedding", "sequence"}});
  ViewSpec view = view_of(ViewKind::head);
  view.batch = 2;
  EXPECT_TRUE(has_text(figure_plan(*trace, view, false), "batch 2 of 3"));
  const Image last = draw_figure(*trace, view);
  view.batch = 0;
  EXPECT_NE(draw_figure(*trace, view).pixels, last.pixels);
  view.batch = 3;
  EXPECT_NE(refusal(*trace, view).find("0 to 2"), std::string::npos);
}

TEST(Figure, concat_has_a_band_for_every_head_and_direct_merge_shows_where_blocks_come_from) {
  const auto merged = small_trace(5);
  const FigurePlan bands = figure_plan(*merged, view_of(ViewKind::concat), false);
  for (std::int64_t head = 0; head < 4; ++head) {
    const auto rects = items_of<RectItem>(bands);
    EXPECT_TRUE(
        std::any_of(rects.begin(), rects.end(), [&](const RectItem& r) { return r.color == head_color(head); }));
    EXPECT_TRUE(has_text(bands, "head " + std::to_string(head)));
  }
  const auto direct = small_trace(5, {{"merge", "direct"}, {"mask", "causal"}});
  const FigurePlan plan = figure_plan(*direct, view_of(ViewKind::concat), false);
  EXPECT_TRUE(items_of<MapItem>(plan).empty());
  const ProvenanceItem blocks = items_of<ProvenanceItem>(plan).at(0);
  const Image image = draw_figure(*direct, view_of(ViewKind::concat));
  // Row 0 of [5, 16] holds head 0 of tokens 0 to 3; row 1 begins with token 4, then head 1.
  const int block = blocks.width / 4, row = blocks.height / 5;
  const auto at = [&](int i, int k) { return image.at(blocks.x + k * block + block - 3, blocks.y + i * row + 1); };
  for (int k = 0; k < 4; ++k) EXPECT_EQ(at(0, k), provenance_color(0, k, 5));
  EXPECT_EQ(at(1, 0), provenance_color(0, 4, 5));
  EXPECT_EQ(at(1, 1), provenance_color(1, 0, 5));
  // Token 1 in row 0 is from the future, token 0 is not.
  EXPECT_EQ(image.at(blocks.x, blocks.y), provenance_color(0, 0, 5));
  EXPECT_EQ(image.at(blocks.x + block, blocks.y), (Rgba{255, 255, 255, 255}));
  EXPECT_TRUE(has_text(plan, "leaks:"));
}

TEST(Figure, heads_that_are_switched_off_say_so) {
  const FigurePlan plan = figure_plan(*small_trace(4, {{"ablate", "0.2"}}), view_of(ViewKind::heads), false);
  EXPECT_TRUE(has_text(plan, "off"));
  EXPECT_FALSE(has_text(figure_plan(*small_trace(4), view_of(ViewKind::heads), false), "off"));
}

TEST(Figure, a_cancelled_one_stops) {
  const auto trace = small_trace(5);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(draw_figure(*trace, view_of(ViewKind::heads), cancel), Cancelled);
}

}  // namespace
}  // namespace headscope
