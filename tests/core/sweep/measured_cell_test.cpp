// A number of a stage as the metric of a sweep.
#include "core/sweep/measured_cell.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/base/error.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> cell_whole_model(const std::string& phrase) {
  Request request;
  request.phrase = phrase;
  request.model = "demo:induction";
  request.layer = 1;
  EngineOptions options;
  options.whole_model = true;
  return Engine(options).run(request, CancelToken());
}

TEST(MeasuredCell, IsSpelledAsAnEditSpellsItsPlace) {
  const MeasuredCell cell = parse_measured_cell("1/weights:0,7,5,1");
  EXPECT_EQ(cell.layer, 1);
  EXPECT_EQ(cell.stage, StageId::weights);
  EXPECT_EQ(cell.index, (Index{0, 7, 5, 1}));
  EXPECT_EQ(measured_cell_text(cell), "1/weights:0,7,5,1");
  const MeasuredCell own = parse_measured_cell("output:0,3,2");
  EXPECT_EQ(own.layer, -1);
  EXPECT_EQ(measured_cell_text(own), "output:0,3,2");
}

TEST(MeasuredCell, WhatIsNoCellIsRefused) {
  for (const char* text :
       {"", "weights", "weights:", "1/:0,0", "weight:0,0,0,0", "x/weights:0,0,0,0", "weights:0,,0", "weights:0,0,0,-1",
        "weights:0,0,0,1.5", "weights:0,0,0,0,0,0", "-1/weights:0,0,0,0", "99999999999/weights:0,0,0,0"}) {
    EXPECT_THROW(parse_measured_cell(text), UsageError) << text;
  }
}

TEST(MeasuredCell, HasTheLayerOfTheRequestWhereNoneIsNamed) {
  const auto trace = cell_whole_model("cat box ink fox cat");
  const MeasuredCell cell = settled_cell(*trace->model, parse_measured_cell("weights:0,7,4,1"));
  EXPECT_EQ(cell.layer, 1);
  EXPECT_EQ(measured_value(*trace->model, cell),
            static_cast<double>(trace->model->layers[1]->tensor(StageId::weights).at({0, 7, 4, 1})));
  for (const char* text :
       {"2/weights:0,7,4,1", "weights:0,8,4,1", "weights:0,7,5,1", "weights:7,4,1", "output:0,7,4,1", "sinks:0,0"}) {
    MeasuredCell none;
    try {
      none = parse_measured_cell(text);
    } catch (const UsageError&) {
      continue;
    }
    EXPECT_THROW(settled_cell(*trace->model, none), UsageError) << text;
  }
}

TEST(MeasuredCell, HasItsPartnerWhereItsPositionsHaveTheirs) {
  const auto trace = cell_whole_model("cat box ink fox cat");
  Patches found;
  found.query_of = {0, 1, 3, -1, 4};
  found.key_of = {0, 2, 3, -1, 4};
  const auto partner = [&](const char* text) {
    const auto cell = cell_in_source(*trace->model, settled_cell(*trace->model, parse_measured_cell(text)), found);
    return cell ? measured_cell_text(*cell) : "none";
  };
  EXPECT_EQ(partner("weights:0,7,2,1"), "1/weights:0,7,3,2");
  EXPECT_EQ(partner("weights:0,7,4,3"), "none") << "the key has no partner";
  EXPECT_EQ(partner("context:0,7,3,0"), "none") << "the query has none";
  EXPECT_EQ(partner("0/output:0,2,5"), "0/output:0,3,5");
}

}  // namespace
}  // namespace headscope
