// The heads of a scan as a picture: every point and cell lies where its numbers are.
#include "core/picture/figure/corpus_figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <sstream>

#include "core/base/error.h"
#include "core/picture/figure/corpus_page.h"
#include "tests/core/corpus/made_records.h"
#include "tests/core/picture/figure/figure_items.h"

namespace headscope {
namespace {

constexpr std::int64_t kHeadsEach = 3;

CorpusFigure made_figure() {
  CorpusFigure figure;
  figure.record = std::make_shared<const CorpusRecord>(test::made_record(kHeadsEach, 40, {0, 40}));
  figure.table = std::make_shared<const HeadTable>(head_table(*figure.record));
  figure.title = "made.hsagg";
  figure.fact = "what 6 heads do";
  figure.x = "entropy";
  figure.y = "self";
  figure.color = "max_weight";
  figure.grid = "distance";
  return figure;
}

bool says(const FigurePlan& plan, const std::string& words) {
  const auto texts = items_of<TextItem>(plan);
  return std::any_of(texts.begin(), texts.end(), [&](const TextItem& text) { return text.text == words; });
}

// Middles of the squares of one size and colour.
std::vector<std::pair<double, double>> middles_of(const FigurePlan& plan, int side, Rgba color) {
  std::vector<std::pair<double, double>> middles;
  for (const RectItem& rect : items_of<RectItem>(plan)) {
    if (rect.width != side || rect.height != side || !(rect.color == color)) continue;
    middles.emplace_back(rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
  }
  return middles;
}

TEST(CorpusFigurePlan, PointsOfTheHeadLieWhereTheirAxesSay) {
  CorpusFigure figure = made_figure();
  figure.head = 4;
  const auto points = std::make_shared<const HeadPoints>(head_points(*figure.record, 4, VectorKind::key));
  figure.points = CorpusPointsFigure{points, 0, 2, true};
  const FigurePlan plan = corpus_plan(figure);
  // The well below every point: squares of 2 * 3 + 3 pixels. By position there are none in the legend.
  const auto marks = middles_of(plan, 9, palette(Theme::dark).well);
  ASSERT_EQ(marks.size(), figure.record->points.size());
  const auto x = points->on(0), y = points->on(2);
  for (std::size_t a = 1; a < marks.size(); ++a) {
    const auto across = [&](std::size_t k) { return (marks[k].first - marks[0].first) * (x[1] - x[0]); };
    const auto up = [&](std::size_t k) { return (marks[k].second - marks[0].second) * (y[1] - y[0]); };
    EXPECT_TRUE(std::fabs(across(a) - (marks[1].first - marks[0].first) * (x[a] - x[0])) <=
                2 * std::fabs(x[1] - x[0]) + 2 * std::fabs(x[a] - x[0]));
    EXPECT_TRUE(std::fabs(up(a) - (marks[1].second - marks[0].second) * (y[a] - y[0])) <=
                2 * std::fabs(y[1] - y[0]) + 2 * std::fabs(y[a] - y[0]));
  }
  EXPECT_TRUE(says(plan, axis_title(*points, 0) + " \u2192"));
  EXPECT_TRUE(says(plan, axis_title(*points, 2) + " \u2192"));
  figure.points->by_position = false;
  const std::size_t tokens = frequent_tokens(*figure.record, kColoredTokens).size();
  EXPECT_EQ(middles_of(corpus_plan(figure), 9, palette(Theme::dark).well).size(), marks.size() + tokens);
}

TEST(CorpusFigurePlan, EveryPointLiesWhereItsMeansAre) {
  const CorpusFigure figure = made_figure();
  const HeadTable& table = *figure.table;
  const FigurePlan plan = corpus_plan(figure);
  // The well below every point marks its place in whatever colour it has itself: squares of 2 * (4 + 1) + 1 pixels.
  const auto points = middles_of(plan, 2 * (4 + 1) + 1, palette(Theme::dark).well);
  ASSERT_EQ(points.size(), table.heads.size());
  const std::size_t x = *table.mean_named("entropy"), y = *table.mean_named("self");
  for (std::size_t a = 1; a < points.size(); ++a) {
    // Differences of pixels have the ratio of differences of means, on either axis with one scale.
    for (std::size_t b = 1; b < points.size(); ++b) {
      const double across = (points[a].first - points[0].first) * (table.mean(x, b) - table.mean(x, 0));
      const double expected = (points[b].first - points[0].first) * (table.mean(x, a) - table.mean(x, 0));
      EXPECT_NEAR(across, expected, 2.0 * std::fabs(table.mean(x, b) - table.mean(x, 0)) + 0.05);
      EXPECT_LE((points[a].second - points[b].second) * (table.mean(y, a) - table.mean(y, b)), 1e-9) << "up is more";
    }
  }
}

TEST(CorpusFigurePlan, EveryCellHasTheColourAndTheNumberOfItsMean) {
  const CorpusFigure figure = made_figure();
  const HeadTable& table = *figure.table;
  const FigurePlan plan = corpus_plan(figure);
  const std::size_t mean = *table.mean_named("distance");
  const HeadTable::Range range = table.ranges[mean];
  for (std::size_t head = 0; head < table.heads.size(); ++head) {
    const double value = table.mean(mean, head);
    const Rgba color = color_at(ColorMap::viridis, (value - range.low) / (range.high - range.low));
    const auto rects = items_of<RectItem>(plan);
    EXPECT_TRUE(std::any_of(rects.begin(), rects.end(), [&](const RectItem& rect) {
      return rect.width == 45 && rect.color == color;
    })) << head;
    char words[32];
    std::snprintf(words, sizeof(words), "%.1f", value);
    EXPECT_TRUE(says(plan, words)) << words;
  }
  for (const char* words :
       {"layer 0", "layer 1", "0", "1", "2", "head", "mean entropy, bits \u2192", "mean self \u2192"}) {
    EXPECT_TRUE(says(plan, words)) << words;
  }
}

TEST(CorpusFigurePlan, ChosenHeadsAndClustersAreSaid) {
  CorpusFigure figure = made_figure();
  figure.head = 1;
  const Rgba accent = palette(Theme::dark).accent;
  EXPECT_TRUE(middles_of(corpus_plan(figure), 13, accent).empty());
  figure.chosen = {2, 4};
  figure.cluster = {0, 0, 1, 1, 2, -1};
  const FigurePlan plan = corpus_plan(figure);
  EXPECT_EQ(middles_of(plan, 13, accent).size(), 2U) << "squares under their points";
  EXPECT_TRUE(says(plan, "0.2"));
  EXPECT_TRUE(says(plan, "1.1"));
  EXPECT_TRUE(
      says(plan, "white or black frame: head 0.1; framed in blue: 2 chosen heads; numbers in cells: 3 clusters"));
  EXPECT_TRUE(says(plan, "3")) << "a cluster's number";
}

// Of few heads all are named; names of the picked and the chosen are bold, and none lies on another.
TEST(CorpusFigurePlan, AsManyHeadsAsFitAreNamed) {
  CorpusFigure figure = made_figure();
  figure.head = 1;
  figure.chosen = {4, 1};
  std::vector<TextItem> names;
  for (const TextItem& text : items_of<TextItem>(corpus_plan(figure))) {
    const bool name = text.text.size() == 3 && text.text[1] == '.' && text.anchor == 0 && text.size == 11;
    if (name && text.text[0] >= '0' && text.text[0] <= '1' && text.text[2] <= '2') names.push_back(text);
  }
  std::vector<std::string> bold;
  for (const TextItem& text : names) {
    if (text.role == FontRole::numbers_bold) bold.push_back(text.text);
  }
  EXPECT_EQ(bold, (std::vector<std::string>{"0.1", "1.1"}));
  EXPECT_GE(names.size(), 5U);
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_NE(names[a].text, names[b].text);
      EXPECT_TRUE(std::fabs(names[a].x - names[b].x) >= 15 || std::fabs(names[a].y - names[b].y) >= 13);
    }
  }
}

TEST(CorpusFigurePlan, ATreeStandsInPlaceOfHistograms) {
  CorpusFigure figure = made_figure();
  std::vector<std::size_t> all(figure.table->heads.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const HeadTree tree = head_tree(*figure.table, all);
  figure.tree = CorpusTreeFigure{std::make_shared<const HeadTree>(tree), 0};
  const FigurePlan apart = corpus_plan(figure);
  EXPECT_TRUE(says(apart, "6 clusters of 6 heads, cut at 0.000; 1 \u2212 cosine of 11 standardised means"));
  EXPECT_FALSE(says(apart, "filled: this head; line: the mean of 6 heads"));
  for (const char* name : {"0.0", "0.1", "0.2", "1.0", "1.1", "1.2"}) EXPECT_TRUE(says(apart, name)) << name;
  figure.tree->cut = 2;
  EXPECT_TRUE(
      says(corpus_plan(figure), "1 cluster of 6 heads, cut at 2.000; 1 \u2212 cosine of 11 standardised means"));
  figure.record = nullptr;
  EXPECT_TRUE(says(corpus_plan(figure), "Heads that are alike")) << "of HeadVis's folder, too";
}

TEST(CorpusFigurePlan, APatternStandsBelowTheHistograms) {
  CorpusFigure figure = made_figure();
  EXPECT_TRUE(says(corpus_plan(figure), "mean pattern"));
  CorpusRecord old = *figure.record;
  old.facts.patterns = false;
  figure.record = std::make_shared<const CorpusRecord>(old);
  EXPECT_FALSE(says(corpus_plan(figure), "mean pattern"));
}

TEST(CorpusFigurePlan, WithoutCountsThereAreNoHistograms) {
  CorpusFigure figure = made_figure();
  EXPECT_TRUE(says(corpus_plan(figure), "filled: this head; line: the mean of 6 heads"));
  const int width = corpus_plan(figure).width;
  figure.record = nullptr;
  EXPECT_FALSE(says(corpus_plan(figure), "filled: this head; line: the mean of 6 heads"));
  EXPECT_LT(corpus_plan(figure).width, width);
}

TEST(CorpusFigurePlan, IsAsWideAsThePaper) {
  ViewSpec view;
  view.paper.width = PaperLength{85, LengthUnit::mm};
  view.paper.dpi = 300;
  const FigurePlan plan = corpus_plan(made_figure(), view);
  EXPECT_EQ(plan.width, 1004) << "85 mm at 300 dpi";
  EXPECT_TRUE(plan.paper_width);
  ViewSpec screen;
  screen.scale = 2;
  EXPECT_NEAR(corpus_plan(made_figure(), screen).width, 2 * corpus_plan(made_figure()).width, 12);
  screen.scale = 9;
  EXPECT_THROW(corpus_plan(made_figure(), screen), UsageError);
}

TEST(CorpusFigure, IsDrawnAndWrittenInAllFormats) {
  const CorpusFigure figure = made_figure();
  const PictureRows rows = corpus_rows(figure);
  const Image image = drawn_whole(rows);
  EXPECT_EQ(image.width, rows.width);
  const FigureDocument svg = corpus_svg(figure);
  EXPECT_EQ(svg.width, rows.width);
  std::ostringstream text;
  svg.write(text, {{"headscope", "{}"}}, {});
  EXPECT_NE(text.str().find("made.hsagg"), std::string::npos);
  std::ostringstream page;
  corpus_pdf(figure).write(page, {}, {});
  EXPECT_TRUE(page.str().starts_with("%PDF"));
}

}  // namespace
}  // namespace headscope
