#include "core/request/intervention_kinds.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/request/intervention_list.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

// Two terms of every option, as it spells them; a new row of the table needs its own.
const std::map<std::string, std::string>& two_terms() {
  static const std::map<std::string, std::string> terms = {{"ablate", "0.1,off:0.0"},
                                                           {"freeze", "0.0=uniform,off:1.1=identity"},
                                                           {"scale-query", "2,off:0.1=0.5"},
                                                           {"scale-key", "0.1=-3,off:0.25"},
                                                           {"edit", "1/scores:0,2,3,1=0.5;off:Wq:3,7=-inf"},
                                                           {"paint", "hide@:,3:4;off:show@2:4,:"},
                                                           {"patch", "1/context:3,2@A;off:stream:4@A"},
                                                           {"set", "1/context:3,2..4=a.npy;off:value:,-1=0.5"},
                                                           {"add", "stream:-2=a.npy*-1.5;off:mlp_out=b.npy"},
                                                           {"project-out", "attention_out=a.npy;off:query:1=b.npy"}};
  return terms;
}

Request all_kinds() {
  Request request;
  for (const auto& [option, text] : two_terms()) find_request_option(option)->set(request, text);
  return request;
}

TEST(InterventionKinds, EveryRowHasAnOptionOfItsOwnAndTermsHere) {
  std::size_t rows = 0;
  for_each_kind([&](const auto& kind) {
    ++rows;
    EXPECT_TRUE(two_terms().contains(kind.option.name)) << kind.option.name;
    EXPECT_TRUE(is_intervention(kind.option.name));
    const RequestOption* option = find_request_option(kind.option.name);
    ASSERT_NE(option, nullptr) << kind.option.name;
    EXPECT_STREQ(option->help, kind.option.help);
  });
  EXPECT_EQ(rows, kInterventionKindCount);
  EXPECT_EQ(rows, two_terms().size());
  EXPECT_FALSE(is_intervention("mask"));
}

TEST(InterventionKinds, OptionsStandBehindTheKnownMistakesInTheOrderOfTheTable) {
  const std::vector<RequestOption>& options = request_options();
  std::size_t at = 0;
  while (std::string_view(options.at(at).name) != "variant") ++at;
  for_each_kind([&](const auto& kind) { EXPECT_STREQ(options.at(++at).name, kind.option.name); });
  EXPECT_STREQ(options.at(at + 1).name, "patch-from");
}

TEST(InterventionKinds, EveryRowIsSpelledAndParsed) {
  const Request request = all_kinds();
  visit_interventions(request, [](const auto& kind, const auto& list) {
    ASSERT_EQ(list.size(), 2u) << kind.option.name;
    EXPECT_TRUE(list[0].on && !list[1].on) << kind.option.name;
    EXPECT_EQ(terms_text(kind, list), two_terms().at(kind.option.name));
    Request again;
    set_terms(kind, again, two_terms().at(kind.option.name));
    EXPECT_TRUE(again.*kind.field == list) << kind.option.name;
    set_terms(kind, again, "none");
    EXPECT_TRUE(again == Request()) << kind.option.name;
    EXPECT_THROW(set_terms(kind, again, "no such term"), UsageError) << kind.option.name;
  });
}

TEST(InterventionKinds, EveryRowIsListedSwitchedOffAndTakenOut) {
  for (const auto& [option, text] : two_terms()) {
    Request request;
    find_request_option(option)->set(request, text);
    const std::vector<Intervention> list = interventions_of(request, true);
    ASSERT_EQ(list.size(), 2u) << option;
    for (const Intervention& each : list) EXPECT_EQ(each.option, option);
    EXPECT_EQ(active_interventions(request, true).size(), 1u) << option;
    EXPECT_TRUE(any_acts(request)) << option;
    Request off = request;
    switch_intervention(off, list[0], false);
    EXPECT_FALSE(any_acts(off)) << option;
    EXPECT_EQ(interventions_of(off, true).size(), 2u) << option;
    EXPECT_FALSE(off == request) << option;
    EXPECT_NE(hash_of(off), hash_of(request)) << option;
    EXPECT_TRUE(interventions_of(with_only(request, list[1]), true).at(0).on) << option;
    EXPECT_TRUE(without_interventions(request) == Request()) << option;
  }
}

TEST(InterventionKinds, ACaptureRefusesAllButHeadsThatAreOff) {
  for_each_kind([&](const auto& kind) {
    Request request;
    request.model = "capture.npy";
    set_terms(kind, request, two_terms().at(kind.option.name));
    const std::optional<Problem> problem = find_problem(request);
    EXPECT_EQ(problem.has_value(), kind.effect != InterventionEffect::heads) << kind.option.name;
    if (problem) {
      EXPECT_EQ(problem->option, kind.option.name);
    }
  });
}

TEST(InterventionKinds, EditsAreTheFirstThatAreFoundFaulty) {
  const Request request = all_kinds();
  std::vector<std::string> order, table;
  visit_for_faults(request, [&](const auto& kind, const auto&) { order.emplace_back(kind.option.name); });
  for_each_kind([&](const auto& kind) { table.emplace_back(kind.option.name); });
  ASSERT_EQ(order.size(), kInterventionKindCount);
  EXPECT_EQ(order.front(), "edit");
  std::erase(order, "edit");
  std::erase(table, "edit");
  EXPECT_EQ(order, table);
}

TEST(InterventionKinds, OnlyWhatNamesAnotherLayerIsElsewhere) {
  EXPECT_TRUE(speaks_of(FrozenHead{{1, 0}}, 1, 0));
  EXPECT_FALSE(speaks_of(FrozenHead{{1, 0}}, 0, 1));
  EXPECT_TRUE(speaks_of(HeadFactor{}, 3, 0)) << "of every head of every layer";
  EXPECT_FALSE(speaks_of(HeadFactor{LayerHead{1, 0}}, 3, 0));
  EXPECT_TRUE(speaks_of(NumberEdit{}, 2, 2)) << "of the layer that is shown";
  EXPECT_FALSE(speaks_of(NumberEdit{}, 1, 2));
  EXPECT_TRUE(speaks_of(PaintedCells{}, 1, 2));
}

TEST(InterventionKinds, OfAblatedHeadsThoseThatAreOnComeFirst) {
  Request request;
  const RequestOption& ablate = *find_request_option("ablate");
  ablate.set(request, "off:0.2,1.0,0.1,off:0.0");
  EXPECT_EQ(ablate.get(request), "0.1,1.0,off:0.0,off:0.2");
  switch_intervention(request, interventions_of(request, false)[0], false);
  EXPECT_EQ(ablate.get(request), "1.0,off:0.0,off:0.2,off:0.1");
  switch_intervention(request, interventions_of(request, false)[2], true);
  EXPECT_EQ(ablate.get(request), "1.0,0.2,off:0.0,off:0.1");
  put_ablated(request, {0, 1}, true);
  EXPECT_EQ(ablate.get(request), "1.0,0.2,0.1,off:0.0");
  EXPECT_EQ(ablated_heads(request), (std::vector<LayerHead>{{1, 0}, {0, 2}, {0, 1}}));
  EXPECT_TRUE(is_ablated(request, {0, 1}) && !is_ablated(request, {0, 0}));
  switch_interventions(request, false);
  EXPECT_EQ(ablate.get(request), "off:0.0,off:1.0,off:0.2,off:0.1");
  switch_interventions(request, true);
  EXPECT_EQ(ablate.get(request), "0.0,1.0,0.2,0.1");
  put_ablated(request, {0, 2}, false);
  EXPECT_EQ(ablate.get(request), "0.0,1.0,0.1");
}

TEST(InterventionKinds, PatchesNameAHeadAndAPositionWhereTheirStageHasThem) {
  const RequestOption& patch = *find_request_option("patch");
  Request request;
  const std::string all = "weights@A;weights:1@A;weights:1,2@A;weights:,2@A;concat:2@A;0/stream@A;3/stream:5@A";
  patch.set(request, all);
  EXPECT_EQ(patch.get(request), all);
  ASSERT_EQ(request.patches.size(), 7u);
  EXPECT_EQ(request.patches[2], (PatchedStage{"weights", {}, 1, 2, true}));
  EXPECT_EQ(request.patches[3], (PatchedStage{"weights", {}, {}, 2, true}));
  EXPECT_EQ(request.patches[4], (PatchedStage{"concat", {}, {}, 2, true}));
  EXPECT_EQ(request.patches[6], (PatchedStage{"stream", 3, {}, 5, true}));
  patch.set(request, "concat:,2@A;concat:2@A;off:concat:2@A");
  EXPECT_EQ(patch.get(request), "off:concat:2@A") << "of patches of the same place the last one counts";
  for (const char* bad : {"", "weights", "weights@B", "weight@A", "weights:@A", "weights:,@A", "weights:1,@A",
                          "weights:1,2,3@A", "weights:-1@A", "concat:1,2@A", "stream:1,2@A", "x/weights@A", "@A",
                          ":1@A", "weights@A;", "weights: 1@A", "1/@A"}) {
    EXPECT_THROW(patch.set(request, bad), UsageError) << bad;
  }
  EXPECT_EQ(patch.get(request), "off:concat:2@A") << "a refused value changes nothing";
}

TEST(InterventionKinds, FactorsAreFoundByTheStageThatTheyMultiply) {
  const Request request = all_kinds();
  for (const StageId stage : multiplied_stages()) {
    ASSERT_NE(factor_kind(stage), nullptr) << stage_name(stage);
    EXPECT_EQ(factor_kind(stage)->changes, stage);
    const std::string option = factor_kind(stage)->option.name;
    EXPECT_EQ(option, fmt::format("scale-{}", stage_name(stage)));
    EXPECT_EQ(terms_text(*factor_kind(stage), *factors_of(request, stage)), two_terms().at(option));
  }
  EXPECT_STREQ(factor_kind(StageId::key)->option.name, "scale-key");
  EXPECT_EQ(factor_kind(StageId::scores), nullptr);
  EXPECT_EQ(factors_of(request, StageId::scores), nullptr);
}

}  // namespace
}  // namespace headscope
