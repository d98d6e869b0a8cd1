// The preview of replaced tokens against the exact trace that follows it. When there is none is in
// preview_left_out_test.cpp.
#include "core/attention/preview.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/tensor/row_strips.h"
#include "tests/core/attention/edited_phrase.h"

namespace headscope {
namespace {

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

}  // namespace
}  // namespace headscope
