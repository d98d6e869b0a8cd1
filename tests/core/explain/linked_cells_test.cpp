// Linked cells against the description that they come from: what a cell feeds are exactly the cells that name it.
#include "core/explain/linked_cells.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/explain/cell_origin.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::vector<Index> cells_of(const Region& region) {
  std::vector<Index> cells;
  Index at;
  for (const Range& range : region) at.push_back(range.begin);
  for (std::int64_t k = 0; k < element_count(region); ++k) {
    cells.push_back(at);
    for (int axis = at.count - 1; axis >= 0; --axis) {
      if (++at[axis] < region[axis].end) break;
      at[axis] = region[axis].begin;
    }
  }
  return cells;
}

bool holds(const Region& region, const Index& index) {
  for (int axis = 0; axis < region.count; ++axis) {
    if (index[axis] < region[axis].begin || index[axis] >= region[axis].end) return false;
  }
  return true;
}

// Whether `whole` is among what makes `part`: by one step of the description. A score counts for its own weight only.
bool is_made_from(const Trace& trace, const CellPlace& part, const CellPlace& whole) {
  const CellOrigin origin = sources_of(trace, part.stage, part.index);
  if (origin.step == CellStep::softmax) return origin.sources[0].stage == whole.stage && part.index == whole.index;
  return std::any_of(origin.sources.begin(), origin.sources.end(), [&](const CellSource& source) {
    return source.stage == whole.stage && holds(source.region, whole.index);
  });
}

// For every cell, and every cell of the stages that come right from its stage: linked exactly when it is made from it.
std::int64_t check_steps(const Trace& trace, const std::string& what) {
  std::int64_t pairs = 0;
  for (const Stage& from : trace.stages) {
    for (const Index& index : cells_of(whole(from.tensor.shape()))) {
      const std::vector<LinkedCells> linked = linked_cells(trace, from.id, index);
      for (const Stage& to : trace.stages) {
        if (to.id <= from.id) continue;
        for (const Index& other : cells_of(whole(to.tensor.shape()))) {
          if (!is_made_from(trace, {to.id, other}, {from.id, index})) continue;
          ++pairs;
          const bool found = std::any_of(linked.begin(), linked.end(), [&](const LinkedCells& cells) {
            return cells.stage == to.id && holds(cells.region, other);
          });
          EXPECT_TRUE(found) << what << ": " << stage_name(from.id) << " to " << stage_name(to.id);
          if (!found) return pairs;
        }
      }
    }
  }
  return pairs;
}

// The cells that `start` reaches by one step after another; the reverse of the description, walked.
std::vector<CellPlace> reached(const Trace& trace, const CellPlace& start) {
  std::vector<CellPlace> all{start};
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (const Stage& to : trace.stages) {
      if (to.id <= all[k].stage) continue;
      for (const Index& other : cells_of(whole(to.tensor.shape()))) {
        const CellPlace place{to.id, other};
        if (is_made_from(trace, place, all[k]) && std::find(all.begin(), all.end(), place) == all.end())
          all.push_back(place);
      }
    }
  }
  return all;
}

void check_reach(const Trace& trace, const std::string& what) {
  for (const Stage& from : trace.stages) {
    for (const Index& index :
         {Index(cells_of(whole(from.tensor.shape())).front()), Index(cells_of(whole(from.tensor.shape())).back())}) {
      const std::vector<CellPlace> after = reached(trace, {from.id, index});
      for (const LinkedCells& cells : linked_cells(trace, from.id, index)) {
        if (cells.stage < from.id) continue;
        for (const Index& each : cells_of(cells.region)) {
          EXPECT_NE(std::find(after.begin(), after.end(), CellPlace{cells.stage, each}), after.end())
              << what << ": " << stage_name(from.id) << " does not feed " << stage_name(cells.stage);
        }
      }
    }
  }
}

Request cells_with(Request request, const char* option, const char* value) {
  find_request_option(option)->set(request, value);
  return request;
}

TEST(LinkedCells, AreTheReverseOfWhatCellsAreMadeFrom) {
  std::int64_t pairs = 0;
  const auto check = [&](const Trace& trace, const std::string& what) {
    pairs += check_steps(trace, what);
    check_reach(trace, what);
  };
  for (const char* merge : {"transpose", "direct"}) {
    const Request request = cells_with(cells_with(alone_request(), "mask", "causal"), "merge", merge);
    check(*traced(request, alone_inputs({1, 3, 3, 2, 1, 2, 3})), merge);
  }
  check(*traced(cells_with(cells_with(alone_request(), "dropout", "0.5"), "softcap", "2"),
                alone_inputs({2, 2, 3, 2, 2, 2, 2})),
        "dropout, softcap");
  check(*traced(cells_with(alone_request(), "variant", "key-not-transposed"), alone_inputs({1, 3, 3, 2, 2, 3, 2})),
        "key as it lies");
}

TEST(LinkedCells, GoThroughFusedProjectionsInBothLayouts) {
  for (const QkvLayout layout : {QkvLayout::per_head, QkvLayout::blocked}) {
    const auto trace = traced(phrase_request(), fused_inputs(layout));
    EXPECT_GT(check_steps(*trace, "fused"), 100);
  }
}

TEST(LinkedCells, OfAWeightAreItsQueryAndKeyRowsAndItsContextRow) {
  const auto trace = traced(alone_request(), alone_inputs({1, 3, 4, 2, 2, 5, 3}));
  const std::vector<LinkedCells> linked = linked_cells(*trace, StageId::weights, {0, 1, 2, 3});
  const auto has = [&](StageId stage, const Region& region) {
    return std::find(linked.begin(), linked.end(), LinkedCells{stage, region}) != linked.end();
  };
  EXPECT_TRUE(has(StageId::query, {{0, 1}, {1, 2}, {2, 3}, {0, 5}}));
  EXPECT_TRUE(has(StageId::key, {{0, 1}, {1, 2}, {3, 4}, {0, 5}}));
  EXPECT_TRUE(has(StageId::context, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}));
  EXPECT_TRUE(has(StageId::concat, {{0, 1}, {2, 3}, {3, 6}}));
}

TEST(LinkedCells, OfADirectMergeNameTheTokenThatReallyCame) {
  const auto trace = traced(cells_with(alone_request(), "merge", "direct"), alone_inputs({1, 4, 4, 2, 2, 2, 2}));
  const std::vector<LinkedCells> linked = linked_cells(*trace, StageId::concat, {0, 0, 2});
  ASSERT_GE(linked.size(), 2U);
  EXPECT_EQ(linked[1], (LinkedCells{StageId::context, {{0, 1}, {0, 1}, {1, 2}, {0, 1}}}))
      << "row 0 holds tokens 0 and 1 of head 0";
}

}  // namespace
}  // namespace headscope
