// The table of mistakes: names, steps, and that a mistake changes its step and nothing before it.
#include "core/diagnose/mistake_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "core/attention/input_problem.h"
#include "core/base/cancel.h"
#include "core/diagnose/layer_lab.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

const CancelToken kRowsNever;
const GivenStages kNone;

Request rows_masked(Request request, const char* mask) {
  find_request_option("mask")->set(request, mask);
  return request;
}

struct Layer {
  std::string name;
  Request request;
  Inputs inputs;
};

std::vector<Layer> layers() {
  return {
      {"blocked", rows_masked(phrase_request(), "causal,padding:1"),
       fused_inputs(QkvLayout::blocked, {.batch = 2, .len = 5, .input_dim = 6, .heads = 2, .head_dim = 3, .seed = 7})},
      {"window", rows_masked(phrase_request(), "window:1,alibi"),
       fused_inputs(QkvLayout::per_head, {.batch = 2, .len = 6, .input_dim = 6, .heads = 2, .head_dim = 3, .seed = 8})},
      {"grouped", rows_masked(alone_request(), "causal"), alone_inputs({2, 5, 5, 4, 2, 4, 4}, 9)}};
}

std::vector<std::int64_t> rows_all_queries(const Inputs& inputs) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(inputs.query_len));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool same(const WideStage& a, const WideStage& b) {
  if (!(a.shape == b.shape)) return false;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    const double x = a.values[k], y = b.values[k];
    if (!(x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-12 * std::abs(y))) return false;
  }
  return true;
}

TEST(MistakeRows, HaveNamesOfTheirOwnASentenceAndCode) {
  std::set<std::string_view> names;
  for (const MistakeRow& row : all_mistakes()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands twice";
    EXPECT_FALSE(row.sentence.empty()) << row.name;
    EXPECT_FALSE(row.sentence.ends_with('.')) << row.name;
    EXPECT_FALSE(row.wrong.empty() || row.right.empty()) << row.name;
    EXPECT_GE(row.variations, 1) << row.name;
    EXPECT_EQ(mistake_named(row.name), &row);
  }
  EXPECT_GE(names.size(), 100u);
  EXPECT_EQ(mistake_named("no-such-mistake"), nullptr);
}

// No list can be forgotten: every row, every variation, on every layer that it can be made on.
TEST(MistakeRows, AMistakeChangesNoStageBeforeItsStep) {
  std::set<std::string_view> made;
  for (const Layer& layer : layers()) {
    LayerLab right({layer.request, layer.inputs, false, false, {}}, kNone, nullptr, kRowsNever);
    for (std::size_t place = 0; place < all_mistakes().size(); ++place) {
      const MistakeRow& row = all_mistakes()[place];
      for (int variation = 0; variation < row.variations; ++variation) {
        Altered what{layer.request, layer.inputs, false, false, {}};
        if (!make_mistake(place, variation, what)) continue;
        if (what.batch_is_sequence || what.axes_exchanged) continue;  // another layout of everything
        if (find_problem(what.request, what.inputs)) continue;
        LayerLab wrong(std::move(what), kNone, nullptr, kRowsNever);
        bool changes = false;
        for (const StageId stage : all_stages()) {
          if (!LayerLab::makes(stage)) continue;
          const std::vector<std::int64_t> queries = rows_all_queries(layer.inputs);
          const bool equal = same(right.stage(stage, queries), wrong.stage(stage, queries));
          changes = changes || !equal;
          EXPECT_TRUE(equal || stage >= row.step) << layer.name << ": " << row.name << " changes " << stage_name(stage);
        }
        if (changes) made.insert(row.name);
      }
    }
  }
  EXPECT_GE(made.size(), 70u);
}

}  // namespace
}  // namespace headscope
