// The map of a stop on paper, and what is said of it: numbers are the run's.
#include "core/handout/stop_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/handout/stop_words.h"
#include "core/picture/figure/figure_plan.h"
#include "tests/core/handout/made_handouts.h"
#include "tests/core/picture/figure/figure_items.h"

namespace headscope {
namespace {

constexpr PaperRoom kPage = {1820, 2000};

float weight(const Trace& trace, std::int64_t head, std::int64_t i, std::int64_t j, StageId stage = StageId::weights) {
  std::vector<float> value(1);
  trace.tensor(stage).read(Region{{0, 1}, {head, head + 1}, {i, i + 1}, {j, j + 1}}, value);
  return value[0];
}

std::string number(float value) {
  return signed_number_text(static_cast<double>(value), 3);
}

MapItem only_map(const StopMap& map) {
  const auto maps = items_of<MapItem>(map.plan);
  EXPECT_EQ(maps.size(), 1u);
  return maps.at(0);
}

// Every number and every hidden cell of the part against the run.
void expect_cells(const Trace& trace, const StopMap& map, std::int64_t head) {
  const MapItem item = only_map(map);
  std::vector<float> values(static_cast<std::size_t>(item.spec.matrix.size()));
  item.spec.matrix.read(Region{{0, map.rows.size()}, {0, map.columns.size()}}, values);
  std::size_t at = 0;
  for (std::int64_t i = map.rows.begin; i < map.rows.end; ++i) {
    for (std::int64_t j = map.columns.begin; j < map.columns.end; ++j, ++at) {
      EXPECT_EQ(values[at], weight(trace, head, i, j)) << i << ", " << j;
      const bool hidden =
          item.spec.mask != nullptr && item.spec.mask->hidden.hidden(0, 0, i - map.rows.begin, j - map.columns.begin);
      EXPECT_EQ(hidden, trace.mask->hidden.hidden(0, 0, i, j)) << i << ", " << j;
    }
  }
}

TEST(StopMap, IsWholeInItsRoomWithEveryCellOfTheRun) {
  const auto trace = small_trace(9, {{"mask", "causal"}});
  for (const PaperRoom room : {PaperRoom{1120, 1100}, kPage}) {
    const HandoutStop stop = made_stop("", 2, StopCell{6, 2});
    const FoundStop found(*trace, stop);
    const StopMap map = stop_map(found, room);
    EXPECT_TRUE(map.whole);
    EXPECT_TRUE(map.hatched);
    EXPECT_LE(map.plan.width, room.width);
    EXPECT_LE(map.plan.height, room.height);
    EXPECT_EQ(map.rows, (Range{0, 9}));
    expect_cells(*trace, map, 2);
  }
}

TEST(StopMap, HasARingAroundThePickedCellAndNoneWithoutOne) {
  const auto trace = small_trace(9);
  const auto ring_of = [](const StopMap& map) {
    std::vector<RectItem> black;
    for (const RectItem& rect : items_of<RectItem>(map.plan)) {
      if (rect.color == Rgba{0, 0, 0, 255}) black.push_back(rect);
    }
    return black;
  };
  const HandoutStop picked = made_stop("", 2, StopCell{6, 2}), none = made_stop("", 2);
  const FoundStop found(*trace, picked), without(*trace, none);
  const StopMap map = stop_map(found, kPage);
  const MapItem item = only_map(map);
  const int side = item.spec.width / 9;
  const std::vector<RectItem> ring = ring_of(map);
  ASSERT_EQ(ring.size(), 4u);
  for (const RectItem& line : ring) {
    EXPECT_GE(line.x, item.x + 2 * side - 4);
    EXPECT_LE(line.x + line.width, item.x + 3 * side + 4);
    EXPECT_GE(line.y, item.y + 6 * side - 4);
    EXPECT_LE(line.y + line.height, item.y + 7 * side + 4);
  }
  EXPECT_TRUE(ring_of(stop_map(without, kPage)).empty());
}

TEST(StopMap, OfTooManyWordsIsThePartAroundThePickedCell) {
  Request request = small_request(1, {{"mask", "causal"}});
  request.phrase = many_words(200);
  const auto trace = trace_of(request);
  for (const StopCell cell : {StopCell{150, 120}, StopCell{199, 0}, StopCell{0, 0}}) {
    const HandoutStop stop = made_stop("", 1, cell);
    const FoundStop found(*trace, stop);
    const StopMap map = stop_map(found, kPage);
    EXPECT_FALSE(map.whole);
    EXPECT_TRUE(map.rows.begin <= cell.query && cell.query < map.rows.end);
    EXPECT_TRUE(map.columns.begin <= cell.key && cell.key < map.columns.end);
    EXPECT_EQ(map.columns.size(), 64) << "more are no longer looked at one by one";
    EXPECT_TRUE(has_line(map.plan, "word" + std::to_string(cell.query)));
    EXPECT_LE(map.plan.width, kPage.width);
    expect_cells(*trace, map, 1);
    EXPECT_NE(map_words(found, map).find("has 200 rows and 200 columns"), std::string::npos);
    EXPECT_NE(map_words(found, map)
                  .find("rows " + std::to_string(map.rows.begin) + " to " + std::to_string(map.rows.end - 1)),
              std::string::npos);
  }
  const HandoutStop first = made_stop("");
  EXPECT_EQ(stop_map(FoundStop(*trace, first), kPage).rows.begin, 0);
}

TEST(StopMap, RowsWithRangesOfTheirOwnKeepThemInAPart) {
  Request request = small_request(1);
  request.phrase = many_words(120);
  const auto trace = trace_of(request);
  HandoutStop stop = made_stop("", 1, StopCell{100, 100});
  stop.view.range = RangeKind::row;
  const FoundStop found(*trace, stop);
  const StopMap map = stop_map(found, kPage);
  const auto ranges = only_map(map).spec.row_ranges;
  ASSERT_NE(ranges, nullptr);
  ASSERT_EQ(std::ssize(*ranges), map.rows.size());
  const MapRow row = found.row(map.rows.begin);
  EXPECT_FLOAT_EQ(static_cast<float>(ranges->front().high),
                  row.values[static_cast<std::size_t>(row.by_size().front())]);
}

TEST(StopWords, NameWhatThePickedRowLooksAtWithTheRunsNumbers) {
  const auto trace = small_trace(7, {{"mask", "causal"}});
  const std::vector<std::string> names = trace->query_labels();
  for (std::int64_t i = 1; i < 7; ++i) {
    const HandoutStop stop = made_stop("", 3, StopCell{i, -1});
    const FoundStop found(*trace, stop);
    std::vector<std::int64_t> keys;
    for (std::int64_t j = 0; j <= i; ++j) keys.push_back(j);
    std::stable_sort(keys.begin(), keys.end(),
                     [&](auto a, auto b) { return weight(*trace, 3, i, a) > weight(*trace, 3, i, b); });
    const auto named = [&](std::int64_t at) {
      return "\u201c" + names[static_cast<std::size_t>(at)] + "\u201d (" + std::to_string(at) + ")";
    };
    EXPECT_EQ(fact_words(found), "Head 3: " + named(i) + " looks most at " + named(keys[0]) + ", with a weight of " +
                                     number(weight(*trace, 3, i, keys[0])) + "; then at " + named(keys[1]) +
                                     ", with a weight of " + number(weight(*trace, 3, i, keys[1])) + ".");
    EXPECT_EQ(found.cell()->column, keys[0]) << "a key that was not kept is the strongest";
  }
}

TEST(StopWords, TheFirstRowSeesOneWordAndHiddenCellsAreSaid) {
  const auto trace = small_trace(5, {{"mask", "causal"}});
  const HandoutStop first = made_stop("", 0, StopCell{0, 0}), hidden = made_stop("", 0, StopCell{1, 3});
  EXPECT_NE(fact_words(FoundStop(*trace, first)).find("sees \u201cthe\u201d (0), with a weight of 1.000 alone."),
            std::string::npos)
      << fact_words(FoundStop(*trace, first));
  const std::string words = fact_words(FoundStop(*trace, hidden));
  EXPECT_NE(words.find("is hidden by the mask."), std::string::npos) << words;
}

TEST(StopWords, WithoutACellTheLargestOfTheMapIsNamed) {
  const auto trace = small_trace(6, {{"mask", "causal"}});
  HandoutStop stop = made_stop("", 1);
  float most = 0;
  for (std::int64_t i = 1; i < 6; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) most = std::max(most, weight(*trace, 1, i, j));
  }
  EXPECT_NE(fact_words(FoundStop(*trace, stop)).find("the largest weight is " + number(most) + ": "),
            std::string::npos);
  stop.view.stage = StageId::scores;
  float score = weight(*trace, 1, 0, 0, StageId::scores);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) score = std::max(score, weight(*trace, 1, i, j, StageId::scores));
  }
  EXPECT_NE(fact_words(FoundStop(*trace, stop)).find("Head 1, scores: the largest is " + number(score) + ", of "),
            std::string::npos)
      << fact_words(FoundStop(*trace, stop));
}

TEST(StopWords, WordsThatWereMergedAreThoseOfTheMap) {
  const auto trace = small_trace(6, {{"renormalise", "on"}, {"top-p", "0.5"}});
  const HandoutStop stop = made_stop("", 1, StopCell{4, 0});
  const FoundStop found(*trace, stop);
  EXPECT_NE(map_words(found, stop_map(found, kPage)).find("divided by their sums"), std::string::npos);
  const MapRow row = found.row(4);
  float sum = 0;
  for (const float value : row.values) sum += value;
  EXPECT_NEAR(sum, 1, 1e-6);
}

}  // namespace
}  // namespace headscope
