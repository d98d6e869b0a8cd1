// An engine that uses the last trace again gives the bits of one that does not.
#include "core/attention/reuse.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/request/request_text.h"
#include "core/request/variant_infos.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request small() {
  Request request;
  request.phrase = "one two three four five six seven";
  request.d_model = 24;
  request.heads = 4;
  request.threads = 2;
  request.backend = BackendChoice::cpu;
  return request;
}

Request reuse_with(Request request, const char* option, const std::string& text) {
  find_request_option(option)->set(request, text);
  return request;
}

// Runs the requests one after the other; every trace equals the one of a fresh engine, also after the later runs.
void expect_same_as_afresh(const std::vector<Request>& requests, std::int64_t stage_memory = kDefaultStageMemory) {
  EngineOptions options;
  options.stage_memory = stage_memory;
  options.reuse = true;
  Engine engine(options);
  std::vector<std::shared_ptr<const Trace>> traces;
  for (std::size_t k = 0; k < requests.size(); ++k) {
    traces.push_back(engine.run(requests[k], CancelToken()));
    if (traces.size() > 3) traces[traces.size() - 4] = nullptr;  // its memory goes to the next
    for (std::size_t shown = 0; shown < traces.size(); ++shown) {
      if (traces[shown] == nullptr) continue;
      Engine fresh;
      const auto wanted = fresh.run(requests[shown], CancelToken());
      ASSERT_EQ(traces[shown]->stages.size(), wanted->stages.size());
      for (const Stage& stage : wanted->stages) {
        EXPECT_TRUE(same_bits(traces[shown]->tensor(stage.id), stage.tensor))
            << stage_name(stage.id) << " of run " << shown << " after run " << k << ": " << requests[shown].phrase;
        EXPECT_EQ(traces[shown]->find(stage.id)->operation, stage.operation);
        EXPECT_EQ(traces[shown]->find(stage.id)->equals_previous, stage.equals_previous) << stage_name(stage.id);
      }
      if (stage_memory == 0) continue;
      EXPECT_TRUE(same_bits(traces[shown]->row_statistics.max, wanted->row_statistics.max));
      EXPECT_TRUE(same_bits(traces[shown]->row_statistics.sum, wanted->row_statistics.sum));
    }
  }
}

TEST(Reuse, OptionsOneAfterTheOther) {
  const std::vector<std::pair<const char*, const char*>> changes = {{"mask", "causal"},
                                                                    {"scale", "0.3"},
                                                                    {"dropout", "0.25"},
                                                                    {"dropout-seed", "3"},
                                                                    {"ablate", "0.1"},
                                                                    {"merge", "direct"},
                                                                    {"mask", "padding:2"},
                                                                    {"softcap", "2"},
                                                                    {"mask", "alibi,causal"},
                                                                    {"softcap-order", "after-mask"},
                                                                    {"mask", "alibi,padding:1"},
                                                                    {"past", "2"},
                                                                    {"mask", "causal"},
                                                                    {"past", "0"},
                                                                    {"softcap-order", "before-mask"},
                                                                    {"ablate", "0.2"},
                                                                    {"heads", "8"},
                                                                    {"fully-masked", "zero"},
                                                                    {"mask", "padding:7"},
                                                                    {"merge", "transpose"},
                                                                    {"dropout", "0"},
                                                                    {"seed", "4"},
                                                                    {"mask-fill", "-1e20"},
                                                                    {"mask", "causal"},
                                                                    {"softcap", "off"},
                                                                    {"mask-order", "before-scale"},
                                                                    {"mask", "window:1"},
                                                                    {"mask-fill", "-inf"},
                                                                    {"ablate", "none"},
                                                                    {"variant", "mask-after-softmax"},
                                                                    {"variant", "softmax-over-queries"},
                                                                    {"mask", "none"},
                                                                    {"variant", "none"},
                                                                    {"heads", "2"},
                                                                    {"kv-heads", "1"}};
  std::vector<Request> requests{small()};
  for (const auto& [option, text] : changes) requests.push_back(reuse_with(requests.back(), option, text));
  expect_same_as_afresh(requests);
  expect_same_as_afresh(requests, 0);
}

TEST(Reuse, APhraseThatGrowsAndShrinksUnderEveryMask) {
  for (const char* mask :
       {"causal", "causal,window:2", "prefix:2", "none", "padding:1", "window:1", "causal,alibi", "alibi"}) {
    for (const char* merge : {"transpose", "direct"}) {
      std::vector<Request> requests;
      for (const char* phrase :
           {"a", "a b", "a bc", "a bc d", "a bc d e f g h i j k l m n o p q r s t u v w x y z 1 2 3 4 5 6 7 8 9",
            "a bc d e", "a bc d ee", "a bc d ee f", "a b d ee f", "x b d ee f", "x b d", "x b d ee f g h",
            "x b d ee f g"}) {
        requests.push_back(reuse_with(reuse_with(reuse_with(small(), "phrase", phrase), "mask", mask), "merge", merge));
      }
      expect_same_as_afresh(requests);
    }
  }
}

TEST(Reuse, GrowingWithDropoutBatchAndGroupedHeads) {
  std::vector<Request> requests;
  for (const char* phrase : {"a b c", "a b c d", "a b c d e", "a b c d x", "a b c"}) {
    Request request = reuse_with(reuse_with(small(), "phrase", phrase), "mask", "causal");
    request.dropout = 0.5;
    request.batch = 2;
    request.kv_heads = 2;
    requests.push_back(request);
  }
  expect_same_as_afresh(requests);
}

// Some normalise over all queries, or need as many keys as a head has features: rows of earlier tokens are then made of
// later ones, whatever the mask hides.
TEST(Reuse, ATextThatIsEditedUnderEveryVariant) {
  for (const VariantInfo& info : variant_infos()) {
    std::vector<Request> requests;
    for (const char* phrase : {"a b c", "a b c d", "a b c d e f", "a b c d e x", "a b c y e x", "a b c y e", "a b"}) {
      const bool of_six = info.value == Variant::key_not_transposed;
      if (of_six && std::string_view(phrase).size() != 11) continue;
      Request request = reuse_with(reuse_with(small(), "phrase", phrase), "mask", "causal");
      if (info.value == Variant::qkv_blocked_as_per_head) request.qkv_layout = QkvLayout::blocked;
      requests.push_back(reuse_with(request, "variant", info.text));
    }
    SCOPED_TRACE(info.text);
    expect_same_as_afresh(requests);
  }
}

TEST(Reuse, OnlyNewRowsAreComputed) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  const auto before = engine.run(reuse_with(reuse_with(small(), "phrase", "a b c"), "mask", "causal"), CancelToken());
  const auto after = engine.run(reuse_with(reuse_with(small(), "phrase", "a b c d"), "mask", "causal"), CancelToken());
  const Reuse reuse(before, after->request, *after->inputs, *after->mask);
  EXPECT_EQ(reuse.same_positions(), 3);
  EXPECT_EQ(reuse.same_queries(), 3);
  EXPECT_EQ(reuse.same_rows(StageId::output), 3);
  const auto everywhere = engine.run(reuse_with(small(), "phrase", "a b c d"), CancelToken());
  const auto grown = engine.run(reuse_with(small(), "phrase", "a b c d e"), CancelToken());
  const Reuse bidirectional(everywhere, grown->request, *grown->inputs, *grown->mask);
  EXPECT_EQ(bidirectional.same_rows(StageId::qkv), 4);
  EXPECT_EQ(bidirectional.same_rows(StageId::weights), 0) << "every query sees the new key";
}

TEST(Reuse, AStageThatDoesNotDependOnWhatChangedIsTheSameMemory) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  Request request = small();
  const auto first = engine.run(request, CancelToken());
  const std::vector<std::pair<Request, StageId>> changes = {
      {reuse_with(request, "mask", "causal"), StageId::raw_scores},
      {reuse_with(request, "scale", "0.3"), StageId::raw_scores},
      {reuse_with(request, "dropout", "0.3"), StageId::weights},
      {reuse_with(request, "merge", "direct"), StageId::context},
      {reuse_with(request, "heads", "2"), StageId::qkv},
      {reuse_with(request, "ablate", "0.1"), StageId::weights}};
  for (const auto& [changed, last] : changes) {
    const auto again = engine.run(request, CancelToken());
    const auto trace = engine.run(changed, CancelToken());
    for (const Stage& stage : trace->stages) {
      if (stage.id > last || again->find(stage.id) == nullptr) continue;
      EXPECT_TRUE(same_storage(stage.tensor, again->tensor(stage.id))) << stage_name(stage.id);
    }
    EXPECT_FALSE(same_bits(trace->tensor(StageId::output), again->tensor(StageId::output)));
  }
}

TEST(Reuse, ALimitThatMovesChangesWhatIsKeptAndNoNumber) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  Engine fresh;
  const auto wanted = fresh.run(small(), CancelToken());
  for (const std::int64_t limit : {kDefaultStageMemory, std::int64_t{0}, kDefaultStageMemory, std::int64_t{0}}) {
    engine.set_stage_memory(limit);
    const auto trace = engine.run(small(), CancelToken());
    EXPECT_EQ(trace->on_demand == nullptr, limit > 0);
    for (const Stage& stage : wanted->stages) {
      EXPECT_TRUE(same_bits(trace->tensor(stage.id), stage.tensor)) << stage_name(stage.id) << " " << limit;
    }
    EXPECT_EQ(trace->tensor(StageId::weights).stored(), limit > 0);
    EXPECT_EQ(trace->tensor(StageId::output).stored(), limit > 0);
  }
}

TEST(Reuse, ACancelledRunSpoilsNothing) {
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  const auto first = engine.run(reuse_with(reuse_with(small(), "phrase", "a b c"), "mask", "causal"), CancelToken());
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(engine.run(reuse_with(reuse_with(small(), "phrase", "a b x y"), "mask", "causal"), cancel), Cancelled);
  const auto last = engine.run(reuse_with(reuse_with(small(), "phrase", "a b c d"), "mask", "causal"), CancelToken());
  Engine fresh;
  const auto wanted = fresh.run(last->request, CancelToken());
  for (const Stage& stage : wanted->stages) EXPECT_TRUE(same_bits(last->tensor(stage.id), stage.tensor));
}

}  // namespace
}  // namespace headscope
