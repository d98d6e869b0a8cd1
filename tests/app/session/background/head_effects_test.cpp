// What a model predicts with and without a head, against runs of their own.
#include "app/session/background/head_effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "app/session/background/work/executor.h"
#include "app/session/documents.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/backend/backend.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

EngineOptions whole() {
  EngineOptions options;
  options.whole_model = true;
  return options;
}

std::shared_ptr<const Trace> compute(const Request& request, Engine& engine, const CancelToken& cancel,
                                     const EarlyTrace& early) {
  return engine.run(request, cancel, early);
}

Request stories() {
  return open_document("demo:stories", Request(), ViewState()).request;
}

std::shared_ptr<const HeadEffects::Result> asked(const HeadEffectQuery& query) {
  HeadEffects effects(
      make_inline_executor(), [] {}, head_effect_work(compute, whole()));
  return effects.want(query);
}

TEST(HeadEffects, AreThePredictionsOfTheRunAndOfTheRunWithoutTheHead) {
  Engine engine(whole());
  const auto trace = engine.run(stories(), {});
  const auto result = asked({trace, 0, {3, 1}, true});
  ASSERT_TRUE(result != nullptr && result->answer) << (result != nullptr ? result->failure : "");
  const HeadEffect& effect = *result->answer;
  EXPECT_TRUE(effect.next_token);
  EXPECT_EQ(effect.position, trace->query_len() - 1);
  ASSERT_EQ(effect.without.size(), effect.top.size());

  Request off = stories();
  find_request_option("ablate")->set(off, "3.1");
  const auto without = Engine(whole()).run(off, {});
  const auto backend = make_cpu_backend(1);
  for (std::size_t k = 0; k < effect.top.size(); ++k) {
    const std::int64_t ids[] = {effect.top[k].id};
    const auto probability = [&](const Trace& of) {
      return probabilities_of(*of.model, 0, effect.position, ids, *backend, {}).front();
    };
    EXPECT_TRUE(std::abs(effect.top[k].probability - probability(*trace)) < 1e-9) << k;
    EXPECT_TRUE(std::abs(effect.without[k] - probability(*without)) < 1e-9) << k;
    if (k > 0) {
      EXPECT_LE(effect.top[k].probability, effect.top[k - 1].probability);
    }
  }
  EXPECT_TRUE(std::abs(effect.without[0] - effect.top[0].probability) > 1e-3) << "the head does something";
}

TEST(HeadEffects, WithoutTheRunThereAreThePredictionsAlone) {
  Engine engine(whole());
  const auto result = asked({engine.run(stories(), {}), 0, {3, 1}, false});
  ASSERT_TRUE(result != nullptr && result->answer);
  EXPECT_EQ(result->answer->top.size(), static_cast<std::size_t>(kMostEffects));
  EXPECT_TRUE(result->answer->without.empty());
}

TEST(HeadEffects, WhatIsOffAlreadyStaysOff) {
  Request request = stories();
  find_request_option("ablate")->set(request, "3.4");
  Engine engine(whole());
  const auto result = asked({engine.run(request, {}), 0, {3, 1}, true});
  ASSERT_TRUE(result != nullptr && result->answer);
  Request both = stories();
  find_request_option("ablate")->set(both, "3.1,3.4");
  const auto without = Engine(whole()).run(both, {});
  const std::int64_t ids[] = {result->answer->top.front().id};
  const auto backend = make_cpu_backend(1);
  const double alone = probabilities_of(*without->model, 0, without->query_len() - 1, ids, *backend, {}).front();
  EXPECT_TRUE(std::abs(result->answer->without.front() - alone) < 1e-9);
}

}  // namespace
}  // namespace headscope
