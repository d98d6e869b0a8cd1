// How cells of a sheet are named, and what is said of those that a sheet does not have.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/worksheet/worksheet.h"

namespace headscope {
namespace {

TEST(SheetCells, ChoicesAreReadAsTheyAreWritten) {
  for (const char* text : {"8", "raw_scores:2,weights:all,output[1,0]", "sum[0,2],context[1,0,1],exp:1"}) {
    EXPECT_EQ(blank_choices_text(blank_choices_of(text)), text);
  }
  EXPECT_EQ(blank_choices_of("scores"), blank_choices_of("scores:1"));
  for (const char* text : {"", "0", "weights:", "weights:0", "weight:1", "weights[0,1]", "sum[0,1,2]", "output[0,0",
                           "1,", "-1", "weights:-1", "weights[0,1,x]", "99999"}) {
    EXPECT_THROW(blank_choices_of(text), UsageError) << text;
  }
}

std::string cells_refusal(WorksheetSpec spec, const std::string& cells) {
  try {
    spec.blanks = blank_choices_of(cells);
    check_worksheet(spec);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(SheetCells, AWrongCellIsNamedWithTheShapeOfItsStageAndItsRanges) {
  WorksheetSpec spec;
  EXPECT_EQ(cells_refusal(spec, "weights[0,3,1]"),
            "--cells: weights[0,3,1] is no cell of weights[head,query,key], whose shape is [1, 3, 3]; expected head 0, "
            "query 0 to 2, key 0 to 2");
  EXPECT_EQ(cells_refusal(spec, "output[0,2]"),
            "--cells: output[0,2] is no cell of output[query,feature], whose shape is [3, 2]; expected query 0 to 2, "
            "feature 0 to 1");
  EXPECT_EQ(cells_refusal(spec, "sum[1,0]"),
            "--cells: sum[1,0] is no cell of sum[head,query], whose shape is [1, 3]; expected head 0, query 0 to 2");
  EXPECT_EQ(
      cells_refusal(spec, "weights[0,99999,1]"),
      "--cells: weights[0,99999,1] is no cell of weights[head,query,key], whose shape is [1, 3, 3]; expected head "
      "0, query 0 to 2, key 0 to 2");
  EXPECT_EQ(cells_refusal(spec, "weights[0,1]"),
            "--cells: \"weights[0,1]\" has 2 indices; expected weights[head,query,key]");
  EXPECT_EQ(cells_refusal(spec, "context[0]"),
            "--cells: \"context[0]\" has one index; expected context[head,query,feature]");
  EXPECT_EQ(cells_refusal(spec, "exp[0,-1,0]"),
            "--cells: \"exp[0,-1,0]\" has the index \"-1\"; expected exp[head,query,key], whole numbers from 0");
  spec.causal = true;
  EXPECT_EQ(cells_refusal(spec, "scores[0,1,2]"),
            "--cells: scores[0,1,2] is hidden: the causal mask hides key 2 from query 1; expected key 0 to 1");
  EXPECT_EQ(cells_refusal(spec, "scores[0,0,2]"),
            "--cells: scores[0,0,2] is hidden: the causal mask hides key 2 from query 0; expected key 0");
}

// Every cell within the ranges that a refusal names is taken, and the one behind each range is refused.
TEST(SheetCells, TheRangesOfARefusalAreThoseThatAreTaken) {
  for (const auto& [heads_of, d_model] : {std::pair{1, 2}, {1, 3}, {1, 4}, {2, 2}, {2, 4}}) {
    WorksheetSpec spec;
    spec.heads = heads_of;
    spec.d_model = d_model;
    for (const SheetStage stage : kSheetStages) {
      const bool output = stage == SheetStage::output;
      const int heads = output ? 1 : spec.heads, columns = stage == SheetStage::sum       ? 1
                                                           : stage == SheetStage::context ? spec.head_dim()
                                                           : output                       ? spec.d_model
                                                                                          : spec.length();
      const SheetCell last{stage, heads - 1, spec.length() - 1, columns - 1};
      EXPECT_EQ(cells_refusal(spec, sheet_cell_text(last)), "");
      SheetCell behind = last;
      ++behind.row;
      const std::string refused = cells_refusal(spec, sheet_cell_text(behind));
      EXPECT_NE(refused.find(sheet_cell_text(behind)), std::string::npos) << refused;
      EXPECT_NE(refused.find("query 0 to " + std::to_string(last.row)), std::string::npos) << refused;
    }
  }
}

}  // namespace
}  // namespace headscope
