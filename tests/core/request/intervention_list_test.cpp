#include "core/request/intervention_list.h"

#include "tests/core/attention/intervention_cases.h"

namespace headscope {
namespace {

Request all_of_them() {
  return with(Request(), {{"ablate", "0.1,1.2,off:0.3"},
                          {"freeze", "0.0=uniform,off:1.1=identity"},
                          {"scale-query", "2"},
                          {"scale-key", "off:0.1=0.5"},
                          {"edit", "1/scores:0,2,3,1=0.5;off:Wq:3,7=-inf"},
                          {"paint", "hide@:,3;show@2:4,0:"},
                          {"patch", "1/context:3,2@A;stream:4@A;off:weights@A"},
                          {"set", "1/context:3,2..4=folder/a.npy;off:value:,-1=0.5"},
                          {"add", "0/stream:5=a.npy*2"},
                          {"project-out", "z=d.npy"}});
}

TEST(InterventionList, NamesEveryOneInTheOrderOfTheOptions) {
  std::vector<std::string> labels;
  for (const Intervention& each : interventions_of(all_of_them(), true)) {
    labels.push_back((each.on ? "" : "off ") + each.label);
  }
  EXPECT_EQ(labels,
            (std::vector<std::string>{
                "layer 0, head 1: context = 0", "layer 1, head 2: context = 0", "off layer 0, head 3: context = 0",
                "layer 0, head 0: weights uniform", "off layer 1, head 1: weights identity", "query × 2",
                "off layer 0, head 1: key × 0.5", "layer 1, scores[0,2,3,1] = 0.5", "off Wq[3,7] = -inf",
                "hide every query, key 3", "show query 2–3, every key", "layer 1, context of head 3, position 2 of A",
                "stream, position 4 of A", "off weights of A", "layer 1, context of head 3, positions 2..4 = a.npy",
                "off value, position -1 = 0.5", "layer 0, stream, position 5 + 2 × a.npy", "context without d.npy"}));
}

TEST(InterventionList, ClausesStandInASentence) {
  std::vector<std::string> clauses;
  for (const Intervention& each : active_interventions(all_of_them(), true)) clauses.push_back(each.clause);
  EXPECT_EQ(clauses, (std::vector<std::string>{
                         "layer 0, head 1 off", "layer 1, head 2 off", "uniform weights in layer 0, head 0",
                         "query × 2", "layer 1, scores[0,2,3,1] = 0.5", "every query, key 3 hidden",
                         "query 2–3, every key shown", "layer 1, context of head 3, position 2 of A",
                         "stream, position 4 of A", "layer 1, context of head 3, positions 2..4 = a.npy",
                         "layer 0, stream, position 5 + 2 × a.npy", "context without d.npy"}));
}

TEST(InterventionList, OneAloneIsWhatTheOptionOfItsTermGives) {
  const Request request = all_of_them();
  const std::vector<Intervention> list = interventions_of(request, true);
  for (const Intervention& each : list) {
    const std::vector<Intervention> alone = interventions_of(with_only(request, each), true);
    ASSERT_EQ(alone.size(), 1u) << each.term;
    EXPECT_TRUE(alone[0].on);
    EXPECT_EQ(alone[0].label, each.label);
  }
  EXPECT_TRUE(without_interventions(request) == Request{});
}

TEST(InterventionList, AllAreSwitchedAtOnceAndStayListed) {
  Request request = all_of_them();
  const std::size_t count = interventions_of(request, true).size();
  switch_interventions(request, false);
  EXPECT_EQ(active_interventions(request, true).size(), 0u);
  EXPECT_EQ(interventions_of(request, true).size(), count);
  switch_interventions(request, true);
  EXPECT_EQ(active_interventions(request, true).size(), count);
}

TEST(InterventionList, EachIsSwitchedAndRemovedByItself) {
  const Request request = all_of_them();
  const std::vector<Intervention> list = interventions_of(request, false);
  for (std::size_t k = 0; k < list.size(); ++k) {
    Request switched = request;
    switch_intervention(switched, list[k], !list[k].on);
    const auto now = interventions_of(switched, false);
    ASSERT_EQ(now.size(), list.size());
    const auto count = [](const std::vector<Intervention>& all) {
      return std::count_if(all.begin(), all.end(), [](const Intervention& each) { return each.on; });
    };
    EXPECT_EQ(count(now), count(list) + (list[k].on ? -1 : 1)) << list[k].label;
    Request removed = request;
    remove_intervention(removed, list[k]);
    std::vector<std::string> terms;
    for (const Intervention& each : interventions_of(removed, false)) terms.push_back(each.term);
    EXPECT_EQ(terms.size(), list.size() - 1);
    EXPECT_EQ(std::count(terms.begin(), terms.end(), list[k].term), 0) << list[k].term;
  }
  Request cleared = request;
  clear_interventions(cleared);
  EXPECT_TRUE(cleared == Request{});
}

TEST(InterventionList, PuttingReplacesWhatIsAboutTheSame) {
  Request request;
  put_edit(request, {"scores", {0, 0, 1, 1}, 1.0F, {}, true});
  put_edit(request, {"scores", {0, 0, 1, 1}, 2.0F, {}, true});
  EXPECT_EQ(find_request_option("edit")->get(request), "scores:0,0,1,1=2");
  put_freeze(request, {0, 1}, FrozenHead::As::uniform);
  put_freeze(request, {0, 1}, FrozenHead::As::identity);
  EXPECT_EQ(find_request_option("freeze")->get(request), "0.1=identity");
  put_freeze(request, {0, 1}, std::nullopt);
  put_factor(request.scale_key, {0, 1}, 2);
  put_factor(request.scale_key, {0, 1}, 3);
  EXPECT_EQ(find_request_option("scale-key")->get(request), "0.1=3");
  put_factor(request.scale_key, {0, 1}, 1);
  EXPECT_EQ(find_request_option("scale-key")->get(request), "");
}

}  // namespace
}  // namespace headscope
