// The preview of replaced tokens against the exact trace that follows it.
#include "core/attention/preview.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string phrase;
  for (const std::string& word : words) phrase += (phrase.empty() ? "" : " ") + word;
  return phrase;
}

Words numbered(int count) {
  Words words;
  for (int i = 0; i < count; ++i) words.push_back("w" + std::to_string(i * 7 % 101));
  return words;
}

Request layer(int d_model, int heads) {
  Request request;
  request.d_model = d_model;
  request.heads = heads;
  request.backend = BackendChoice::cpu;
  request.threads = 2;
  return request;
}

struct Pair {
  std::shared_ptr<const Trace> preview, exact;
};

// What the engine says early, and at the end, of `words` after it has computed `before`.
Pair edited(Request request, const Words& before, const Words& words) {
  EngineOptions options;
  options.reuse = true;
  options.preview_products = 0;
  Engine engine(options);
  request.phrase = joined(before);
  engine.run(request, {}, [](const auto&) { ADD_FAILURE() << "there is nothing that a first trace could begin from"; });
  request.phrase = joined(words);
  Pair pair;
  pair.exact = engine.run(request, {}, [&](std::shared_ptr<const Trace> trace) {
    EXPECT_EQ(pair.preview, nullptr);
    pair.preview = std::move(trace);
  });
  return pair;
}

Words with(Words words, std::vector<std::pair<int, std::string>> changes) {
  for (auto& [i, word] : changes) words[static_cast<std::size_t>(i)] = word;
  return words;
}

// Every row of the stage within 1e-5 of the largest number of the exact row; NaN and infinities in the same places.
void expect_near(const Trace& preview, const Trace& exact, StageId stage) {
  const std::vector<float> a = preview.tensor(stage).values(), b = exact.tensor(stage).values();
  ASSERT_EQ(a.size(), b.size());
  const auto columns = static_cast<std::size_t>(exact.tensor(stage).dim(exact.tensor(stage).rank() - 1));
  int wrong = 0;
  for (std::size_t row = 0; row < b.size(); row += columns) {
    double largest = 0;
    for (std::size_t j = row; j < row + columns; ++j) {
      if (std::isfinite(b[j])) largest = std::max(largest, std::fabs(static_cast<double>(b[j])));
    }
    for (std::size_t j = row; j < row + columns; ++j) {
      const bool same = std::isnan(b[j])   ? std::isnan(a[j])
                        : std::isinf(b[j]) ? a[j] == b[j]
                                           : std::fabs(static_cast<double>(a[j]) - b[j]) <= 1e-5 * largest;
      if (!same && ++wrong < 4) {
        ADD_FAILURE() << stage_name(stage) << " row " << row / columns << " column " << j - row << ": " << a[j]
                      << " for " << b[j] << ", largest " << largest;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

void expect_preview(const Pair& pair) {
  ASSERT_NE(pair.preview, nullptr);
  const Trace &preview = *pair.preview, &exact = *pair.exact;
  EXPECT_TRUE(preview.preview);
  EXPECT_FALSE(exact.preview);
  EXPECT_EQ(preview.request, exact.request);
  EXPECT_EQ(preview.inputs->tokens, exact.inputs->tokens);
  EXPECT_EQ(preview.fully_masked_rows, exact.fully_masked_rows);
  ASSERT_EQ(preview.stages.size(), exact.stages.size());
  for (std::size_t s = 0; s < exact.stages.size(); ++s) {
    EXPECT_EQ(preview.stages[s].id, exact.stages[s].id);
    EXPECT_EQ(preview.stages[s].operation, exact.stages[s].operation);
    EXPECT_EQ(preview.stages[s].equals_previous, exact.stages[s].equals_previous);
    ASSERT_EQ(preview.stages[s].tensor.shape(), exact.stages[s].tensor.shape());
    if (exact.stages[s].id <= StageId::masked_scores) {
      const std::vector<float> a = preview.stages[s].tensor.values(), b = exact.stages[s].tensor.values();
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0)
          << stage_name(exact.stages[s].id) << " is exact";
    } else {
      expect_near(preview, exact, exact.stages[s].id);
    }
  }
  const std::vector<float> max = preview.row_statistics.max.values(), sum = preview.row_statistics.sum.values();
  const std::vector<float> max_exact = exact.row_statistics.max.values(), sum_exact = exact.row_statistics.sum.values();
  for (std::size_t row = 0; row < max.size(); ++row) {
    if (std::isinf(max_exact[row])) continue;  // sees nothing
    EXPECT_GE(max[row], max_exact[row] - 1e-5 * (1 + std::fabs(max_exact[row])));
    EXPECT_NEAR(std::log(sum[row]) + max[row], std::log(sum_exact[row]) + max_exact[row],
                1e-5 * (1 + std::fabs(max_exact[row])));
  }
}

struct Case {
  const char* name;
  std::function<void(Request&)> set;
};

std::vector<MaskTerm> terms(std::initializer_list<MaskTerm> list) {
  return list;
}

const Case kCases[] = {
    {"plain", [](Request&) {}},
    {"causal",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
     }},
    {"padding",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::padding, 5, ""}});
     }},
    {"window",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::window, 3, ""}});
     }},
    {"causal window",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::window, 6, ""}});
     }},
    {"prefix",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::prefix, 9, ""}});
     }},
    {"inverted",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
       r.variants = {Variant::mask_inverted};
     }},
    {"inverted, zero rows",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
       r.variants = {Variant::mask_inverted};
       r.fully_masked = FullyMasked::zero;
     }},
    {"mask before scale",
     [](Request& r) {
       r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
       r.mask_order = MaskOrder::before_scale;
     }},
    {"scale", [](Request& r) { r.scale = 0.3; }},
    {"negative scale", [](Request& r) { r.scale = -0.25; }},
    {"no scale", [](Request& r) { r.variants = {Variant::no_scale}; }},
    {"strong", [](Request& r) { r.init_gain = 6; }},
    {"grouped heads", [](Request& r) { r.kv_heads = 2; }},
    {"batch", [](Request& r) { r.batch = 3; }},
    {"one thread", [](Request& r) { r.threads = 1; }},
    {"positions", [](Request& r) { r.position = Position::sinusoidal; }},
    {"direct merge", [](Request& r) { r.merge = Merge::direct; }},
    {"ablated",
     [](Request& r) {
       r.ablate = {{0, 1}};
     }},
    {"blocked", [](Request& r) { r.qkv_layout = QkvLayout::blocked; }},
    {"read per head",
     [](Request& r) { r.variants = {Variant::qkv_blocked_as_per_head}, r.qkv_layout = QkvLayout::blocked; }},
};

TEST(Preview, LiesWithin1e5OfTheExactTrace) {
  std::mt19937 random(5);
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.name);
    for (const int len : {19, 33, 70}) {
      SCOPED_TRACE(len);
      const bool hides_last = each.name == std::string("inverted") || each.name == std::string("inverted, zero rows");
      const int places = len - (hides_last ? 1 : 0);
      const int heads = 4, width = std::vector<int>{24, 36, 64, 160}[random() % 4];
      Request request = layer(width, heads);
      each.set(request);
      const Words before = numbered(len);
      std::vector<std::pair<int, std::string>> changes{
          {static_cast<int>(random() % static_cast<unsigned>(places)), "x"}};
      for (int n = static_cast<int>(random() % 3); n > 0; --n) {
        changes.emplace_back(static_cast<int>(random() % static_cast<unsigned>(places)), "y" + std::to_string(n));
      }
      expect_preview(edited(request, before, with(before, changes)));
    }
  }
}

TEST(Preview, HoldsForFirstAndLastTokens) {
  const Words before = numbered(40);
  for (const int i : {0, 39}) {
    SCOPED_TRACE(i);
    expect_preview(edited(layer(64, 4), before, with(before, {{i, "x"}})));
  }
}

// In short phrases most rows lose more than a quarter of their sum.
TEST(Preview, OfManyRowsThatMustBeComputedAnewIsLeftOut) {
  const Words before = numbered(3);
  const Pair pair = edited(layer(64, 4), before, with(before, {{1, "x"}}));
  if (pair.preview != nullptr) expect_preview(pair);
  const Words longer = numbered(64);
  Request strong = layer(64, 1);
  strong.init_gain = 40;  // every query looks at one key
  Words same(64, "a");
  const Pair all = edited(strong, with(same, {{5, "b"}}), with(same, {{5, "c"}}));
  if (all.preview != nullptr) expect_preview(all);
}

TEST(Preview, BeginsFromTheLastExactTraceHoweverManyCameSince) {
  EngineOptions options;
  options.reuse = true;
  options.preview_products = 0;
  Engine engine(options);
  Request request = layer(64, 4);
  Words words = numbered(50);
  request.phrase = joined(words);
  engine.run(request, {});
  const Engine* const same = &engine;
  EXPECT_EQ(same, &engine);
  Pair pair;
  for (int edit = 0; edit < 20; ++edit) {
    words[20] += "x";
    request.phrase = joined(words);
    CancelToken cancel;
    const auto cancelled = [&](std::shared_ptr<const Trace> trace) {
      pair.preview = std::move(trace);
      if (edit < 19) cancel.cancel();
    };
    if (edit < 19) {
      EXPECT_THROW(engine.run(request, cancel, cancelled), Cancelled);
    } else {
      pair.exact = engine.run(request, cancel, cancelled);
    }
  }
  expect_preview(pair);
}

TEST(Preview, OutlivesTheEngine) {
  const Words before = numbered(30);
  const Pair pair = edited(layer(64, 4), before, with(before, {{12, "x"}}));  // the engine is gone
  ASSERT_NE(pair.preview, nullptr);
  expect_near(*pair.preview, *pair.exact, StageId::output);
  expect_near(*pair.preview, *pair.exact, StageId::weights);
}

TEST(Preview, ReadsAnyRegionAsItReadsTheWhole) {
  const Words before = numbered(41);
  const Pair pair = edited(layer(60, 3), before, with(before, {{7, "x"}, {30, "y"}}));
  ASSERT_NE(pair.preview, nullptr);
  std::mt19937 random(7);
  for (const Stage& stage : pair.preview->stages) {
    SCOPED_TRACE(stage_name(stage.id));
    const std::vector<float> all = stage.tensor.values();
    const Tensor whole_tensor = Tensor::of(stage.tensor.shape(), stage.tensor.axes(), all);
    for (int round = 0; round < 12; ++round) {
      Region region = whole(stage.tensor.shape());
      for (int axis = 0; axis < region.count; ++axis) {
        const std::int64_t size = stage.tensor.dim(axis);
        const auto begin = static_cast<std::int64_t>(random() % static_cast<unsigned>(size));
        region[axis] = {begin, begin + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(size - begin))};
      }
      std::vector<float> a(static_cast<std::size_t>(element_count(region))), b(a.size());
      stage.tensor.read(region, a);
      whole_tensor.read(region, b);
      for (std::size_t k = 0; k < a.size(); ++k) {
        ASSERT_TRUE(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) << k;
      }
    }
  }
}

TEST(Preview, IsNotMadeOfWhatItDoesNotKnow) {
  const Words before = numbered(40);
  const Words after = with(before, {{20, "x"}});
  const std::vector<Case> others = {
      {"dropout", [](Request& r) { r.dropout = 0.1; }},
      {"softcap", [](Request& r) { r.softcap = 20; }},
      {"reference", [](Request& r) { r.backend = BackendChoice::reference; }},
      {"finite fill",
       [](Request& r) {
         r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
         r.mask_fill = -10000;
       }},
      {"uniform rows",
       [](Request& r) {
         r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
         r.variants = {Variant::mask_inverted};
         r.fully_masked = FullyMasked::uniform;
       }},
      {"over queries", [](Request& r) { r.variants = {Variant::softmax_over_queries}; }},
      {"not transposed", [](Request& r) { r.variants = {Variant::key_not_transposed}, r.d_model = 40, r.heads = 1; }},
      {"after softmax",
       [](Request& r) {
         r.mask = terms({{MaskTerm::Kind::causal, 0, ""}});
         r.variants = {Variant::mask_after_softmax};
       }},
      {"cross-attention", [&](Request& r) { r.key_phrase = "a b c"; }},
      {"sequence", [](Request& r) { r.embedding = Embedding::sequence; }},
  };
  for (const Case& each : others) {
    SCOPED_TRACE(each.name);
    Request request = layer(64, 4);
    each.set(request);
    EXPECT_EQ(edited(request, before, after).preview, nullptr);
  }
  const Request plain = layer(64, 4);
  EXPECT_EQ(edited(plain, before, before).preview, nullptr) << "the same phrase";
  Words longer = after;
  longer.push_back("z");
  EXPECT_EQ(edited(plain, before, longer).preview, nullptr);
  EXPECT_EQ(edited(plain, before, with(before, {{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}, {5, "e"}})).preview, nullptr);
  EXPECT_NE(edited(plain, before, after).preview, nullptr);
}

TEST(Preview, IsNotMadeWhenAnOptionChangedToo) {
  EngineOptions options;
  options.reuse = true;
  options.preview_products = 0;
  Engine engine(options);
  Request request = layer(64, 4);
  request.phrase = joined(numbered(40));
  engine.run(request, {});
  request.phrase = joined(with(numbered(40), {{20, "x"}}));
  request.scale = 0.5;
  engine.run(request, {}, [](const auto&) { ADD_FAILURE(); });
}

TEST(Preview, IsNotMadeWhereTheExactTraceIsThereAsSoon) {
  Request request = layer(64, 4);
  EngineOptions options;
  options.reuse = true;
  Engine engine(options);
  request.phrase = joined(numbered(40));
  engine.run(request, {});
  request.phrase = joined(with(numbered(40), {{20, "x"}}));
  engine.run(request, {}, [](const auto&) { ADD_FAILURE(); });
}

// Scores overflow: what is not finite is not updated.
TEST(Preview, OfNumbersThatAreNotFiniteIsLeftOut) {
  Request request = layer(64, 4);
  request.init_gain = 1e20;
  const Words before = numbered(40);
  const Pair pair = edited(request, before, with(before, {{20, "x"}}));
  EXPECT_EQ(pair.preview, nullptr);
}

}  // namespace
}  // namespace headscope
