// Every stage has one whole row, in the order of StageId.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/request/request_text.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// No `default`: the compiler refuses an enumerator that is not listed. It also counts them.
constexpr std::size_t number_of(StageId stage) {
  switch (stage) {
    case StageId::input:
    case StageId::key_input:
    case StageId::value_input:
    case StageId::qkv:
    case StageId::qkv_split:
    case StageId::qkv_heads:
    case StageId::query_proj:
    case StageId::key_proj:
    case StageId::value_proj:
    case StageId::query:
    case StageId::key:
    case StageId::value:
    case StageId::c2p:
    case StageId::p2c:
    case StageId::raw_scores:
    case StageId::scores:
    case StageId::capped_scores:
    case StageId::masked_scores:
    case StageId::weights:
    case StageId::dropped_weights:
    case StageId::captured_weights:
    case StageId::sink_weights:
    case StageId::context:
    case StageId::concat:
    case StageId::output:
    case StageId::attention_norm_out:
      return static_cast<std::size_t>(stage);
  }
  return 0;
}

TEST(StageInfos, OneRowAnEnumeratorInTheSameOrder) {
  ASSERT_EQ(stage_infos().size(), number_of(StageId::attention_norm_out) + 1);
  std::set<std::string_view> names;
  for (std::size_t row = 0; row < stage_infos().size(); ++row) {
    const StageInfo& info = stage_infos()[row];
    EXPECT_EQ(number_of(info.id), row) << info.name;
    EXPECT_EQ(&stage_info(info.id), &info);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  }
}

TEST(StageInfos, NoRowLacksAColumn) {
  for (const StageInfo& info : stage_infos()) {
    EXPECT_FALSE(info.name.empty());
    ASSERT_TRUE(info.axes.size() == 3 || info.axes.size() == 4) << info.name;
    EXPECT_EQ(std::count(info.letters.begin(), info.letters.end(), ',') + 1,
              static_cast<std::ptrdiff_t>(info.axes.size()))
        << info.name;
    EXPECT_FALSE(info.picture.noun.empty()) << info.name;
    EXPECT_FALSE(info.made.from.empty() && info.made.sources.empty()) << info.name << " is made of nothing";
  }
}

TEST(StageInfos, AxesAreOneBatchPositionsColumnsAndAtMostOneHead) {
  for (const StageInfo& info : stage_infos()) {
    if (info.id == StageId::sink_weights) continue;  // one number of every head and query
    const auto count = [&](Axis axis) {
      return std::count_if(info.axes.begin(), info.axes.end(),
                           [&](const StageAxis& each) { return each.axis == axis; });
    };
    EXPECT_EQ(info.axes.front().axis, Axis::batch) << info.name;
    EXPECT_EQ(count(Axis::batch), 1) << info.name;
    EXPECT_EQ(count(Axis::head), static_cast<std::ptrdiff_t>(info.axes.size()) - 3) << info.name;
    EXPECT_EQ(count(Axis::position) + count(Axis::query), 1) << info.name;
    EXPECT_EQ(count(Axis::query), count(Axis::key)) << info.name;
    EXPECT_TRUE(info.axes.back().axis == Axis::feature || info.axes.back().axis == Axis::key) << info.name;
    for (const StageAxis& axis : info.axes) {
      EXPECT_EQ(axis.axis == Axis::batch, axis.size == StageSize::batch) << info.name;
    }
  }
}

TEST(StageInfos, AStageComesAfterWhatItIsMadeFrom) {
  for (const StageInfo& info : stage_infos()) {
    for (const auto& alternatives : info.made.from) {
      EXPECT_FALSE(alternatives.empty()) << info.name;
      for (const StageId from : alternatives) EXPECT_LT(from, info.id) << info.name;
    }
    for (const std::string_view option : info.made.options) EXPECT_NE(find_request_option(option), nullptr) << option;
  }
}

TEST(StageInfos, WhatMovesHasTheAxesOfItsOneSource) {
  for (const StageInfo& info : stage_infos()) {
    if (!info.moves) continue;
    ASSERT_EQ(info.made.from.size(), 1U) << info.name;
    ASSERT_EQ(info.made.from.front().size(), 1U) << info.name;
    std::multiset<StageSize> own, source;
    for (const StageAxis& axis : info.axes) own.insert(axis.size);
    for (const StageAxis& axis : stage_info(info.made.from.front().front()).axes) source.insert(axis.size);
    EXPECT_EQ(own, source) << info.name;
  }
}

TEST(StageInfos, TheSourcesOfAFormulaHaveItsAxes) {
  std::size_t formulas = 0;
  for (const StageInfo& info : stage_infos()) {
    if (!info.formula) continue;
    ++formulas;
    EXPECT_FALSE(info.formula->step.empty() || info.formula->sentence.empty()) << info.name;
    for (const auto& alternatives : info.made.from) {
      for (const StageId from : alternatives) {
        const std::vector<StageAxis>& axes = stage_info(from).axes;
        EXPECT_TRUE(
            std::equal(axes.begin(), axes.end(), info.axes.begin(), info.axes.end(),
                       [](const StageAxis& a, const StageAxis& b) { return a.axis == b.axis && a.size == b.size; }))
            << info.name << " from " << stage_name(from);
      }
    }
  }
  EXPECT_GE(formulas, 1U);
}

TEST(StageInfos, PositionsBeforeHeadsAreShownByAStageWithHeadsFirst) {
  for (const StageInfo& info : stage_infos()) {
    const bool late_head = info.axes[1].axis != Axis::head && info.axes[2].axis == Axis::head;
    EXPECT_EQ(info.by_heads.has_value(), late_head) << info.name;
    EXPECT_EQ(shown_by_heads(info.id) != info.id, late_head) << info.name;
    if (late_head) {
      EXPECT_EQ(stage_info(shown_by_heads(info.id)).axes[1].axis, Axis::head) << info.name;
    }
  }
}

TEST(StageInfos, OnlyWeightsAreDrawnFromZeroUp) {
  for (const StageInfo& info : stage_infos()) {
    EXPECT_EQ(info.picture.colors == StageColors::sequential, info.picture.noun == "weight") << info.name;
    EXPECT_TRUE(info.picture.range == StageRange::by_numbers || is_weight_like(info.id)) << info.name;
  }
}

}  // namespace
}  // namespace headscope
