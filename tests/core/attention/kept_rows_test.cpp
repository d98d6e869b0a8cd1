// A token typed behind the others costs its own row under everything that lets it, and no number under anything else.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"
#include "core/request/variant_infos.h"
#include "tests/core/attention/same_results.h"

namespace headscope {
namespace {

EngineOptions reusing() {
  EngineOptions options;
  options.reuse = options.whole_model = true;
  return options;
}

// Four words, then five, of which the first four are the same; both with `changes`.
std::shared_ptr<const Trace> typed(const std::vector<std::pair<const char*, std::string>>& changes) {
  Engine engine(reusing());
  Request request;
  request.d_model = 24;
  request.heads = 4;
  request.threads = 1;
  request.backend = BackendChoice::cpu;
  for (const auto& [option, text] : changes) find_request_option(option)->set(request, text);
  request.phrase = "a b c d";
  engine.run(request, CancelToken());
  request.phrase = "a b c d e";
  return engine.run(request, CancelToken());
}

TEST(KeptRows, UnderMasksThatLookBackOnlyTheNewRowIsComputed) {
  for (const char* mask : {"causal", "causal,window:2", "prefix:2", "causal,alibi", "causal,causal"}) {
    for (const auto& [option, text] : std::vector<std::pair<const char*, std::string>>{{"scale", "0.3"},
                                                                                       {"softcap", "2"},
                                                                                       {"dropout", "0.25"},
                                                                                       {"merge", "direct"},
                                                                                       {"fully-masked", "zero"},
                                                                                       {"ablate", "0.1"},
                                                                                       {"freeze", "off:0.1=uniform"},
                                                                                       {"batch", "2"},
                                                                                       {"kv-heads", "2"},
                                                                                       {"position", "sinusoidal"},
                                                                                       {"causal-align", "bottom-right"},
                                                                                       {"weighting", "value-norm"},
                                                                                       {"top-p", "0.5"},
                                                                                       {"init-gain", "2"}}) {
      const auto trace = typed({{"mask", mask}, {option, text}});
      EXPECT_EQ(trace->kept_positions, 4) << mask << ", " << option;
      EXPECT_EQ(trace->kept_queries, 4) << mask << ", " << option;
    }
  }
}

TEST(KeptRows, UnderVariantsAsFarAsEachSays) {
  for (const VariantInfo& info : variant_infos()) {
    if (info.value == Variant::key_not_transposed) continue;  // no text of it grows
    const bool blocked = info.value == Variant::qkv_blocked_as_per_head;
    const auto trace =
        typed({{"mask", "causal"}, {"variant", info.text}, {"qkv-layout", blocked ? "blocked" : "per-head"}});
    EXPECT_EQ(trace->kept_positions, 4) << info.text;
    EXPECT_EQ(trace->kept_queries, info.rows == RowsApart::everywhere ? 4 : 0) << info.text;
  }
}

TEST(KeptRows, WithoutSuchAMaskQueriesKeysAndValuesAreKept) {
  for (const char* mask : {"none", "padding:1", "window:2", "alibi"}) {
    const auto trace = typed({{"mask", mask}});
    EXPECT_EQ(trace->kept_positions, 4) << mask;
    EXPECT_EQ(trace->kept_queries, 0) << mask;
  }
}

Request rows_of_model(const std::string& name, std::vector<std::int64_t> ids) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = std::move(ids);
  request.threads = 1;
  request.backend = BackendChoice::cpu;
  return request;
}

TEST(KeptRows, InEveryLayerOfADecoder) {
  for (const char* name : {"gpt2", "llama", "mistral", "qwen3", "bloom", "gemma2", "gpt_oss", "mixtral", "olmo2"}) {
    Engine engine(reusing());
    Request request = rows_of_model(name, {1, 5, 2, 7});
    engine.run(request, CancelToken());
    request.token_ids.push_back(3);
    const auto trace = engine.run(request, CancelToken());
    for (const auto& layer : trace->model->layers) {
      EXPECT_EQ(layer->kept_positions, 4) << name;
      EXPECT_EQ(layer->kept_queries, 4) << name;
    }
  }
}

// Memory goes from a run to one some runs later: it holds rows of its own run, whose merge mixed them, although every
// run between them has the contexts of the one before it.
TEST(KeptRows, OfAMergeThatMixedThemAreNotThoseOfALaterRun) {
  Engine engine(reusing());
  std::vector<std::shared_ptr<const Trace>> shown;
  for (const auto& [ids, merge] : std::vector<std::pair<std::vector<std::int64_t>, Merge>>{
           {{7, 5, 3, 6, 6, 9, 0, 1, 9, 2, 1}, Merge::direct},
           {{7, 5, 3, 6, 6, 9, 0, 1, 9, 2, 1}, Merge::transpose},
           {{7, 5, 3, 6, 6, 9, 0, 1, 9, 2, 1}, Merge::transpose},
           {{7, 5, 3, 6, 6, 9, 0, 1, 9, 1}, Merge::transpose},
           {{7, 5, 3, 6, 6, 9, 0, 1, 9, 1, 4}, Merge::transpose}}) {
    Request request = rows_of_model("gptj", ids);
    request.merge = merge;
    EngineOptions once;
    once.whole_model = true;
    const auto wanted = Engine(once).run(request, CancelToken());
    if (shown.size() == 3) shown.erase(shown.begin());  // its memory goes to the next
    shown.push_back(engine.run(request, CancelToken()));
    EXPECT_EQ(difference(*shown.back(), *wanted), "");
  }
}

// Under a variant whose rows are made of later ones, no row of any layer is known when a token is appended or replaced.
TEST(KeptRows, OfModelsUnderEveryVariantAreThoseOfANewEngine) {
  for (const VariantInfo& info : variant_infos()) {
    for (const char* name : {"gpt2", "llama", "mistral", "gemma2"}) {
      Engine engine(reusing());
      for (const std::vector<std::int64_t>& ids : std::vector<std::vector<std::int64_t>>{
               {1, 5, 2}, {1, 5, 2, 7}, {1, 5, 2, 8}, {1, 5, 2, 8, 3, 4}, {1, 5, 6, 8, 3, 4}, {1, 5, 6}}) {
        Request request = rows_of_model(name, ids);
        request.variants = {info.value};
        EngineOptions once;
        once.whole_model = true;
        std::shared_ptr<const Trace> wanted;
        try {
          wanted = Engine(once).run(request, CancelToken());
        } catch (const ProblemError&) {
          continue;  // another layout, or more keys than a head has features
        }
        EXPECT_EQ(difference(*engine.run(request, CancelToken()), *wanted), "") << name << ", " << info.text;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
