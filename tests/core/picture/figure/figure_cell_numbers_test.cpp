// Numbers in the cells of every view that writes some: one unit for a whole picture, what is blank is below half of it.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/minus_sign.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/figure/figure_output.h"
#include "core/sweep/sweep.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

// Keeps the texts that are drawn.
class Texts : public FigureOutput {
 public:
  explicit Texts(int height) : height_(height) {}
  void rect(const RectItem&) override {}
  void corner(const CornerItem&) override {}
  void curve(const CurveItem&) override {}
  void text(const TextItem& item) override { all.push_back(item); }
  void bar(const BarItem&) override {}
  void image(const ImageItem&) override {}
  void map(const MapItem&) override {}
  Range rows() const override { return {0, height_}; }
  std::vector<TextItem> all;

 private:
  int height_;
};

double number_of(std::string text) {
  for (std::size_t at = text.find(kMinusSign); at != std::string::npos; at = text.find(kMinusSign)) {
    text.replace(at, std::string(kMinusSign).size(), "-");
  }
  return std::stod(text);
}

// What is written in the cells of a map, by its row and column.
std::vector<std::vector<std::string>> written(const FigurePlan& plan, const MapItem& map) {
  Texts drawn(plan.height);
  draw_cell_numbers(map, drawn, {});
  const double width = map.spec.width / map.spec.columns, height = map.spec.height / map.spec.rows;
  std::vector<std::vector<std::string>> words(static_cast<std::size_t>(map.spec.rows),
                                              std::vector<std::string>(static_cast<std::size_t>(map.spec.columns)));
  for (const TextItem& item : drawn.all) {
    const double extent = drawn_width(item.text, item.role, item.size);
    const auto row = static_cast<std::size_t>((item.y - item.size / 3 - map.y) / height);
    const auto column = static_cast<std::size_t>((item.x + extent / 2 - map.x) / width);
    EXPECT_LE(extent, width) << item.text;
    EXPECT_GE(item.size, 9 * map.spec.pixel_scale);
    words.at(row).at(column) = item.text;
  }
  return words;
}

// Whether the legend says what blank cells hold; it may be wrapped.
bool explains_blanks(const FigurePlan& plan) {
  std::string words;
  for (const TextItem& item : items_of<TextItem>(plan)) words += item.text + " ";
  return words.find("below half a unit of the last digit") != std::string::npos;
}

struct Counted {
  int positive = 0, negative = 0, blank = 0;
};

// Holds every number of a picture against its cell.
Counted expect_right_numbers(const FigurePlan& plan) {
  Counted counted;
  std::set<int> decimals;
  for (const MapItem& map : items_of<MapItem>(plan)) {
    if (map.cell_text == CellText::none) continue;
    const auto words = written(plan, map);
    decimals.insert(map.numbers.decimals);
    EXPECT_GT(map.numbers.letters, 0);
    const double half = map.numbers.unit() / 2;
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::size_t j = 0; j < words[i].size(); ++j) {
        const auto row = static_cast<std::int64_t>(i), column = static_cast<std::int64_t>(j);
        const auto value = static_cast<double>(map.spec.matrix.at({row, column}));
        const bool hidden = map.spec.mask && map.spec.mask->hidden.hidden(map.spec.batch, map.spec.head, row, column);
        if (hidden || !std::isfinite(value)) {
          EXPECT_EQ(words[i][j], "");
        } else if (words[i][j].empty()) {
          EXPECT_LT(std::fabs(value), half) << i << ", " << j;
          ++counted.blank;
        } else {
          EXPECT_LE(std::fabs(number_of(words[i][j]) - value), half * (1 + 1e-6)) << words[i][j] << " for " << value;
          EXPECT_EQ(words[i][j].starts_with(kMinusSign), value < 0);
          ++(value < 0 ? counted.negative : counted.positive);
        }
      }
    }
  }
  EXPECT_EQ(decimals.size(), 1u) << "all maps of a picture";
  EXPECT_TRUE(explains_blanks(plan));
  return counted;
}

std::shared_ptr<const Trace> induction(std::int64_t layer = 1) {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box ink fox jam cat";
  request.layer = layer;
  return Engine().run(request, {});
}

TEST(FigureCellNumbers, of_stages_are_right_within_half_a_unit) {
  const auto trace = small_trace(5, {{"mask", "causal"}});
  for (const StageId stage : {StageId::weights, StageId::raw_scores, StageId::masked_scores, StageId::query}) {
    for (const ViewKind kind : {ViewKind::head, ViewKind::heads, ViewKind::stage}) {
      for (const int cell : {24, 26, 34, 60}) {
        ViewSpec view = view_of(kind, stage);
        view.cell = cell;
        const FigurePlan plan = figure_plan(*trace, view, false);
        const Counted counted = expect_right_numbers(plan);
        EXPECT_GT(counted.positive, 0);
        EXPECT_EQ(counted.negative > 0, stage != StageId::weights);
        EXPECT_EQ(figure_size(*trace, view).height, plan.height) << "the size that is said without the values";
      }
    }
  }
  ViewSpec narrow = view_of(ViewKind::head);
  narrow.cell = 23;
  EXPECT_FALSE(explains_blanks(figure_plan(*trace, narrow, false))) << "no numbers, no words about them";
}

TEST(FigureCellNumbers, with_ranges_of_rows_or_of_the_users_own_are_as_right) {
  const auto trace = small_trace(5);
  ViewSpec view = view_of(ViewKind::head, StageId::raw_scores);
  view.cell = 30;
  view.range = RangeKind::row;
  expect_right_numbers(figure_plan(*trace, view, false));
  view.range = RangeKind::fixed;
  view.range_low = -0.001;
  view.range_high = 0.001;
  expect_right_numbers(figure_plan(*trace, view, false));
}

TEST(FigureCellNumbers, of_a_score_tell_its_small_parts_apart) {
  const auto trace = induction();
  ViewSpec view = view_of(ViewKind::score);
  view.head = 7;
  view.at = {5, 1};
  for (const int cell : {24, 30, 44}) {
    view.cell = cell;
    const Counted counted = expect_right_numbers(figure_plan(*trace, view, false));
    EXPECT_GT(counted.positive, 0);
    EXPECT_GT(counted.negative, 0);
  }
}

TEST(FigureCellNumbers, of_a_composition_on_paper_have_both_signs) {
  const auto trace = induction();
  ViewSpec view = view_of(ViewKind::composition);
  view.paper.width = PaperLength{170, LengthUnit::mm};
  const Counted counted = expect_right_numbers(figure_plan(*trace, view, false));
  EXPECT_GT(counted.positive, 0);
  EXPECT_GT(counted.negative, 0);
}

TEST(FigureCellNumbers, of_a_sweep_are_rounded_alike) {
  Request a, b;
  a.model = b.model = "demo:induction";
  a.phrase = "cat ink box fox jam cat";
  b.phrase = "cat box ink fox jam cat";
  Engine engine;
  const auto of_a = engine.run(a, {}), of_b = engine.run(b, {});
  const Sweep found = sweep({}, {b, a, "logit:ink-box", SweepPatch::heads, {}}, {});
  ViewSpec view = view_of(ViewKind::sweep);
  view.question.patch = SweepPatch::heads;
  view.question.metric = "logit:ink-box";
  for (const int cell : {24, 34}) {
    view.cell = cell;
    const Counted counted = expect_right_numbers(figure_plan({*of_b, of_a.get(), &found}, view, false));
    EXPECT_GT(counted.positive, 0);
    EXPECT_GT(counted.negative, 0);
  }
}

TEST(FigureCellNumbers, of_a_difference_and_of_concat_are_as_right) {
  const auto a = small_trace(5), b = small_trace(5, {{"mask", "causal"}});
  ViewSpec view = view_of(ViewKind::difference, StageId::weights);
  view.cell = 26;
  EXPECT_GT(expect_right_numbers(figure_plan({*b, a.get()}, view, false)).negative, 0);
  view = view_of(ViewKind::concat);
  view.cell = 26;
  expect_right_numbers(figure_plan(*a, view, false));
  view = view_of(ViewKind::layers);
  view.aggregate = Aggregate::mean;
  view.cell = 30;
  expect_right_numbers(figure_plan(*a, view, false));
}

}  // namespace
}  // namespace headscope
