// Options of VIEW that mean one thing in an attribution and another elsewhere.
#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/picture/view_options.h"

namespace headscope {
namespace {

ViewSpec with(ViewSpec view, const char* option, const std::string& text) {
  find_view_option(option)->set(view, text);
  return view;
}

ViewSpec attribution_view() {
  return with({}, "view", "attribution");
}

ViewSpec read_back(const ViewSpec& view) {
  return *parse_session(session_json(Request(), view), "the session").view;
}

TEST(ViewModelOptions, ATokenIsAPositionOrTheTokensOfALogit) {
  EXPECT_EQ(with({}, "token", "3").token, 3);
  EXPECT_THROW(with({}, "token", "box"), UsageError);
  for (const char* text : {"box", " tired,wide", "box,6", "6", "007", "-", "--5", "5-3", "-3", "\xc3\xa9"}) {
    const ViewSpec view = with(attribution_view(), "token", text);
    EXPECT_EQ(view.question.tokens, text);
    EXPECT_FALSE(view.token.has_value());
    EXPECT_EQ(find_view_option("token")->get(view), text);
    EXPECT_TRUE(read_back(view) == view) << text;
  }
  for (const char* text : {"", ",", "box,", "a,b,c", "\xff"}) {
    EXPECT_THROW(with(attribution_view(), "token", text), UsageError) << text;
  }
}

TEST(ViewModelOptions, ASweepOfPathsIsReadBack) {
  ViewSpec view = with(with(with({}, "view", "sweep"), "patch", "paths"), "from", "0:3");
  view = with(with(view, "ablation", "mean"), "metric", "loss");
  EXPECT_EQ(view.question.from, (LayerHead{0, 3}));
  EXPECT_FALSE(view.question.into.has_value());
  EXPECT_EQ(view.question.ablation, Ablation::mean);
  EXPECT_EQ(find_view_option("from")->get(view), "0:3");
  EXPECT_EQ(find_view_option("into")->get(view), "");
  EXPECT_TRUE(read_back(view) == view);
  EXPECT_THROW(with({}, "into", "3"), UsageError);
  EXPECT_THROW(with({}, "ablation", "none"), UsageError);
}

TEST(ViewModelOptions, AWordOfByIsOfOneView) {
  EXPECT_EQ(with({}, "by", "scores").by, SensitivityBy::scores);
  EXPECT_FALSE(with({}, "by", "scores").question.by.has_value());
  const ViewSpec heads = with(with({}, "by", "scores"), "by", "heads");
  EXPECT_EQ(heads.question.by, AttributionBy::heads);
  EXPECT_FALSE(heads.by.has_value()) << "the last one counts";
  EXPECT_TRUE(read_back(heads) == heads);
  const ViewSpec value = with(heads, "by", "value");
  EXPECT_EQ(value.question.reads, CompositionKind::value);
  EXPECT_FALSE(value.question.by.has_value());
  EXPECT_EQ(find_view_option("by")->get(value), "value");
  EXPECT_TRUE(read_back(value) == value);
  EXPECT_EQ(composition_kind_name(CompositionKind::query), "query");
  EXPECT_EQ(sensitivity_by_name(SensitivityBy::weights), "weights");
  EXPECT_EQ(attribution_by_name(AttributionBy::sources), "sources");
  try {
    with({}, "by", "layers");
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(
        error.expected(),
        "weights or scores; of an attribution components, heads or sources; of a composition query, key or value");
  }
}

TEST(ViewModelOptions, WhatASessionFileSaysOfTheViewCountsWhereverItStands) {
  const std::string json =
      R"({"phrase": "a", "view": {"at": 4, "token": "box,ink", "by": "heads", "view": "attribution"}})";
  const ViewSpec view = *parse_session(json, "the session").view;
  EXPECT_EQ(view.question.tokens, "box,ink");
  EXPECT_EQ(position_asked(view), 4);
  EXPECT_THROW(parse_session(R"({"phrase": "a", "view": {"token": "box"}})", "the session"), Error);
}

TEST(ViewModelOptions, AMetricIsSpelledAsSweepTakesIt) {
  for (const char* text : {"loss", "kl", "logit:a", "logit:a-b", "prob: tired", "cell:1/weights:0,7,5,1", "kl:clean",
                           "kl:patched", "rank:a", "logit:{a,b}-{c}", "recovered", "recovered:loss"}) {
    const ViewSpec view = with({}, "metric", text);
    EXPECT_EQ(view.question.metric, text);
    EXPECT_TRUE(read_back(view) == view) << text;
  }
  for (const char* text : {"", "logit", "logit:", "prob:", "cell:", "entropy", "loss ", "kl:", "kl:dirty",
                           "rank:", "recovered:", "recovered:kl:dirty"}) {
    EXPECT_THROW(with({}, "metric", text), UsageError) << text;
  }
}

TEST(ViewModelOptions, ALensIsOfLayersOfAttentionOrOfHeads) {
  for (const auto& [text, of] :
       {std::pair{"layers", LensOf::layers}, {"attention", LensOf::attention}, {"heads", LensOf::heads}}) {
    const ViewSpec view = with({}, "lens-of", text);
    EXPECT_EQ(view.question.lens_of, of);
    EXPECT_TRUE(read_back(view) == view) << text;
  }
  for (const char* text : {"", "head", "layer", "heads,layers"}) {
    EXPECT_THROW(with({}, "lens-of", text), UsageError) << text;
  }
}

TEST(ViewModelOptions, APositionIsOneNumber) {
  EXPECT_FALSE(position_asked(ViewSpec()).has_value());
  EXPECT_EQ(position_asked(with({}, "at", "7")), 7);
  EXPECT_THROW(position_asked(with({}, "at", "0,7")), UsageError);
}

TEST(ViewModelOptions, TwoViewsAreOfTwoResults) {
  EXPECT_TRUE(takes_another_result(ViewKind::difference));
  EXPECT_TRUE(takes_another_result(ViewKind::sweep));
  EXPECT_FALSE(takes_another_result(ViewKind::attribution));
  EXPECT_FALSE(has_weight_colors(ViewKind::sweep, StageId::weights));
  EXPECT_FALSE(has_weight_colors(ViewKind::attribution, StageId::weights));
  EXPECT_TRUE(has_weight_colors(ViewKind::lens, StageId::output));
}

}  // namespace
}  // namespace headscope
