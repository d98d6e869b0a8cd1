// Who wrote a score as a picture: writers at the query by writers at the key.
#include <gtest/gtest.h>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/explain/score_writers.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> score_induction() {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box ink fox jam cat";
  request.layer = 1;
  return Engine().run(request, {});
}

ViewSpec score_asked(std::vector<std::int64_t> at, std::optional<AttributionBy> by = {}) {
  ViewSpec view = view_of(ViewKind::score);
  view.head = 7;
  view.at = std::move(at);
  view.question.by = by;
  return view;
}

TEST(FigureScore, EveryCellIsATermAndTheSumStandsBesideTheScore) {
  const auto trace = score_induction();
  for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads}) {
    const ScoreWriters found = score_writers(*trace->model, {7, 5, 1, by}, CancelToken());
    const FigurePlan plan = figure_plan(*trace, score_asked({5, 1}, by), false);
    const HeatmapSpec spec = items_of<MapItem>(plan).at(0).spec;
    const auto rows = static_cast<std::int64_t>(found.queries.size()),
               columns = static_cast<std::int64_t>(found.keys.size());
    ASSERT_EQ(spec.matrix.shape(), (Shape{rows, columns}));
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        EXPECT_EQ(spec.matrix.at({i, j}),
                  static_cast<float>(found.term(static_cast<std::size_t>(i), static_cast<std::size_t>(j))));
      }
    }
    EXPECT_EQ(spec.range.low, -spec.range.high);
    EXPECT_TRUE(has_text(plan, "own score"));
    EXPECT_TRUE(has_line(plan, "embedding"));
  }
  const FigurePlan usual = figure_plan(*trace, score_asked({5, 1}), false);
  EXPECT_TRUE(has_line(usual, "0.5")) << "by heads unless said otherwise";
  EXPECT_TRUE(has_text(usual, "layer 0, head 5"));
}

TEST(FigureScore, SaysWhatItNeeds) {
  const auto trace = score_induction();
  EXPECT_THROW(figure_plan(*trace, score_asked({5}), false), UsageError);
  EXPECT_THROW(figure_plan(*trace, score_asked({5, 77}), false), UsageError);
  EXPECT_THROW(figure_plan(*trace, score_asked({5, 1}, AttributionBy::sources), false), UsageError);
  Request request;
  request.model = "seeded";
  request.phrase = "a b";
  EXPECT_THROW(figure_plan(*Engine().run(request, {}), score_asked({0, 0}), false), UsageError);
}

}  // namespace
}  // namespace headscope
