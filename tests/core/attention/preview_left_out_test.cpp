// Edits that have no preview, for it would not be near the exact trace, or not be there earlier.
#include <string>
#include <vector>

#include "tests/core/attention/edited_phrase.h"

namespace headscope {
namespace {

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
