// A logit is the sum of its parts: against a stream by its definition, and against the models' own logits.
#include "core/explain/attribution.h"

#include <map>
#include <tuple>

#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/demo_checkpoints.h"
#include "tests/core/explain/attributed.h"
#include "tests/core/explain/plain_stream.h"

namespace headscope {
namespace {

using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;

TEST(Attribution, AddsUpToTheLogitOfEveryModelWhoseDecoderReadsTheStream) {
  int taken_apart = 0;
  for (const std::string& name : model_names()) {
    const auto checkpoint = Checkpoint::open(kGoldenModels + name);
    if (!checkpoint->output_head().transform.empty()) continue;
    ++taken_apart;
    const auto trace = whole_model(golden_request(name));
    const Tensor logits = expected_of(name, "logits");
    const std::int64_t last = trace->query_len() - 1;
    for (const std::int64_t position : {std::int64_t{0}, last}) {
      for (const AttributionBy by : kEveryWay) {
        const Attribution found = attributed(*trace, position, {3}, by);
        expect_exact(found, name);
        double row = 0;
        for (std::int64_t id = 0; id < logits.dim(1); ++id) {
          row = std::max(row, std::abs(static_cast<double>(logits.at({position, id}))));
        }
        EXPECT_TRUE(std::abs(found.sum - static_cast<double>(logits.at({position, 3}))) <= 1e-4 * row)
            << name << ": PyTorch has another logit";
        expect_exact(attributed(*trace, position, {3, 1}, by), name + ", difference");
      }
    }
  }
  EXPECT_GE(taken_apart, 39);
}

TEST(Attribution, ALossIsASumWithTheEntropyOfThePrediction) {
  for (const char* name : {"gpt2", "llama", "gemma2", "cohere", "bloom", "opt"}) {
    const auto trace = whole_model(golden_request(name));
    const Tensor logits = expected_of(name, "logits");
    for (const AttributionBy by : kEveryWay) {
      LogitQuestion question;
      question.position = 2;
      question.ids = {5};
      question.by = by;
      question.loss = true;
      const Attribution found = attribution(*trace->model, question, CancelToken());
      expect_exact(found, name);
      double sum = 0, entropy = 0;
      for (std::int64_t k = 0; k < logits.dim(1); ++k) sum += std::exp(static_cast<double>(logits.at({2, k})));
      for (std::int64_t k = 0; k < logits.dim(1); ++k) {
        const double p = std::exp(static_cast<double>(logits.at({2, k}))) / sum;
        entropy -= p * std::log(p);
      }
      EXPECT_NEAR(found.total, std::log(sum) - static_cast<double>(logits.at({2, 5})), 1e-4) << name << ": PyTorch's";
      EXPECT_EQ(std::string(found.parts.back().name), "entropy of the prediction");
      EXPECT_NEAR(found.parts.back().value, entropy, 1e-4) << name;
    }
  }
  LogitQuestion two;
  two.ids = {5, 3};
  two.loss = true;
  EXPECT_THROW(attribution(*whole_model(golden_request("gpt2"))->model, two, CancelToken()), UsageError);
}

// Every part of the golden models of each place of norms, of parallel blocks and of a norm of the embeddings.
TEST(Attribution, EveryPartIsWhatTheDefinitionGives) {
  for (const char* name : {"gpt2",
                           "attention-only-decoder",
                           "attention-only-encoder",
                           "opt",
                           "opt-after",
                           "olmo2",
                           "olmo3",
                           "gemma",
                           "gemma2",
                           "gemma3",
                           "gptj",
                           "phi",
                           "gpt_neox",
                           "stablelm-parallel",
                           "cohere",
                           "bloom",
                           "llama",
                           "qwen3",
                           "mingpt",
                           "falcon",
                           "falcon-alibi",
                           "falcon-grouped",
                           "mpt"}) {
    const auto trace = whole_model(golden_request(name));
    const std::int64_t position = trace->query_len() - 2;
    for (const bool sources : {false, true}) {
      const PlainLogit wanted = plain_logit(*trace->model, position, 5, sources);
      const Attribution found =
          attributed(*trace, position, {5}, sources ? AttributionBy::sources : AttributionBy::heads);
      std::map<Key, double> values;
      for (const AttributionPart& part : found.parts) {
        values[{part.name, part.layer.value_or(-1), part.head.value_or(-1), part.key.value_or(-1)}] = part.value;
      }
      ASSERT_EQ(values.size(), found.parts.size()) << name << ": no two parts are of the same place";
      ASSERT_EQ(values.size(), wanted.parts.size()) << name;
      const double tolerance = 2e-5 * largest_part(found);
      for (std::size_t k = 0; k < wanted.parts.size(); ++k) {
        const PlainPart& part = wanted.parts[k];
        const auto at = values.find({part.name, part.layer, part.head, part.key});
        ASSERT_NE(at, values.end()) << name << ", " << part.name;
        EXPECT_TRUE(std::abs(at->second - wanted.values[k]) <= tolerance)
            << name << ", " << part.name << " of layer " << part.layer << ", head " << part.head << ", key " << part.key
            << ": " << at->second << " for " << wanted.values[k];
      }
      EXPECT_TRUE(std::abs(found.total - wanted.sum) <= 1e-4 * largest_part(found)) << name;
    }
  }
}

TEST(Attribution, SourcesAreTheHeadAndHeadsAreAttention) {
  for (const char* name : {"gpt2", "opt-after", "olmo2", "gemma2", "qwen3", "bloom"}) {
    const auto trace = whole_model(golden_request(name));
    const std::int64_t position = trace->query_len() - 1;
    const Attribution whole = attributed(*trace, position, {2}, AttributionBy::components);
    const Attribution heads = attributed(*trace, position, {2}, AttributionBy::heads);
    const Attribution sources = attributed(*trace, position, {2}, AttributionBy::sources);
    const double tolerance = 1e-5 * largest_part(sources);
    for (std::int64_t layer = 0; layer < static_cast<std::int64_t>(trace->model->layers.size()); ++layer) {
      EXPECT_TRUE(std::abs(attention_sum(whole, layer) - attention_sum(heads, layer)) <= tolerance) << name;
      for (std::int64_t h = 0; h < trace->num_heads(); ++h) {
        EXPECT_TRUE(std::abs(attention_sum(heads, layer, h) - attention_sum(sources, layer, h)) <= tolerance) << name;
      }
    }
    // What is no attention does not depend on how attention is taken apart.
    const auto others = [](const Attribution& of) {
      std::map<Key, double> values;
      for (const AttributionPart& part : of.parts) {
        const std::string each = part.name;
        if (each == "embedding" || each == "positions" || each == "mlp" || each.ends_with("norm bias")) {
          values[{each, part.layer.value_or(-1), -1, -1}] = part.value;
        }
      }
      return values;
    };
    EXPECT_EQ(others(whole), others(heads)) << name;
    EXPECT_EQ(others(whole), others(sources)) << name;
  }
}

TEST(Attribution, ADifferenceIsOneLogitLessTheOther) {
  for (const char* name : {"gpt2", "gemma2", "cohere", "gptj"}) {
    const auto trace = whole_model(golden_request(name));
    for (const AttributionBy by : kEveryWay) {
      const Attribution a = attributed(*trace, 2, {3}, by), b = attributed(*trace, 2, {7}, by);
      const Attribution less = attributed(*trace, 2, {3, 7}, by), more = attributed(*trace, 2, {7, 3}, by);
      EXPECT_EQ(less.total, a.total - b.total);
      EXPECT_EQ(less.total, -more.total);
      ASSERT_EQ(less.parts.size(), a.parts.size());
      const double tolerance = 1e-12 * (largest_part(a) + largest_part(b));
      for (std::size_t k = 0; k < a.parts.size(); ++k) {
        EXPECT_TRUE(std::abs(less.parts[k].value - (a.parts[k].value - b.parts[k].value)) <= tolerance) << name;
        EXPECT_TRUE(std::abs(less.parts[k].value + more.parts[k].value) <= tolerance) << name;
      }
    }
  }
}

TEST(Attribution, AScaleAndACapOfLogitsAreFactors) {
  const auto scaled = whole_model(golden_request("cohere"));
  EXPECT_EQ(attributed(*scaled, 1, {4}, AttributionBy::components).tokens[0].factor,
            scaled->model->checkpoint->architecture().logit_scale);
  const auto capped = whole_model(golden_request("gemma2"));
  const Architecture& architecture = capped->model->checkpoint->architecture();
  ASSERT_TRUE(architecture.logit_softcap.has_value());
  const Attribution found = attributed(*capped, 1, {4}, AttributionBy::components);
  const double cap = *architecture.logit_softcap, capped_logit = found.tokens[0].logit;
  const double before = cap * std::atanh(capped_logit / cap);
  EXPECT_NEAR(found.tokens[0].factor, capped_logit / before, 1e-5);
  EXPECT_LT(found.tokens[0].factor, 1.0);
}

TEST(Attribution, OfBothDemos) {
  const std::vector<std::pair<std::string, std::string>> demos = {
      {"demo:induction", "cat box ink fox jam cat box ink fox"},
      {"demo:pronouns", "The animal didn't cross the street because it was too tired"}};
  for (const auto& [name, phrase] : demos) {
    Request request;
    request.model = name;
    request.phrase = phrase;
    const auto trace = whole_model(request);
    for (std::int64_t position = 0; position < trace->query_len(); ++position) {
      for (const AttributionBy by : kEveryWay) expect_exact(attributed(*trace, position, {9}, by), name, 1e-5);
    }
  }
}

TEST(Attribution, TheSameBitsForAnyNumberOfThreads) {
  for (const char* name : {"gpt2", "gemma2", "opt-after"}) {
    const auto one = whole_model(golden_request(name), {{"threads", "1"}});
    for (const char* threads : {"2", "8"}) {
      const auto more = whole_model(golden_request(name), {{"threads", threads}});
      for (const AttributionBy by : kEveryWay) {
        const Attribution a = attributed(*one, 3, {3, 1}, by), b = attributed(*more, 3, {3, 1}, by);
        EXPECT_EQ(a.total, b.total);
        EXPECT_EQ(a.sum, b.sum);
        ASSERT_EQ(a.parts.size(), b.parts.size());
        for (std::size_t k = 0; k < a.parts.size(); ++k) EXPECT_EQ(a.parts[k].value, b.parts[k].value) << name;
      }
    }
  }
}

// The sentence that refuses the question.
std::string refusal(const Trace& trace, const LogitQuestion& question) {
  try {
    attribution(*trace.model, question, CancelToken());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Attribution, WhatIsNoSumIsRefused) {
  const auto has = [](const std::string& sentence, const std::string& part) {
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " in: " << sentence;
  };
  for (const char* name : {"bert", "roberta", "distilbert"}) {
    has(refusal(*whole_model(golden_request(name)), {0, {1}}), "--model: " + std::string(name) + " has a masked head");
  }
  const auto trace = whole_model(golden_request("gpt2"));
  EXPECT_EQ(refusal(*trace, {0, {1}}), "");
  has(refusal(*trace, {-1, {1}}), "--at: found position -1");
  const std::string len = std::to_string(trace->query_len());
  has(refusal(*trace, {trace->query_len(), {1}}), "--at: found position " + len + ", but there are " + len + " tokens");
  has(refusal(*trace, {0, {1, -1}}), "--token: -1 is not in the vocabulary of gpt2; expected ids from 0 to ");
  const LogitQuestion sources{0, {1}, AttributionBy::sources, 7};
  has(refusal(*trace, sources), "--by: found sources, which are ");
  has(refusal(*trace, sources), "expected heads, or fewer tokens: at most 7 sources");
  CancelToken cancelled;
  cancelled.cancel();
  EXPECT_THROW(attribution(*trace->model, {0, {1}}, cancelled), Cancelled);
}

TEST(Attribution, AModelThatIsNotThereWholeIsRefused) {
  const auto trace = whole_model(golden_request("gpt2"));
  const auto refused = [&](auto&& change, const char* part) {
    const auto model = std::make_shared<ModelTrace>(*trace->model);
    change(*model);
    Trace of = *trace;
    of.model = model;
    const std::string sentence = refusal(of, {0, {1}});
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " in: " << sentence;
  };
  refused([](ModelTrace& model) { model.layers[0] = nullptr; }, "--phrase: layer 0 was not kept");
  refused([](ModelTrace& model) { model.checkpoint = nullptr; }, "--model: gpt2 is a capture");
}

}  // namespace
}  // namespace headscope
