#include "core/request/stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "core/request/request.h"

namespace headscope {
namespace {

TEST(Stage, EveryNameIsFoundAgain) {
  std::set<std::string_view> names;
  for (StageId stage : all_stages()) {
    EXPECT_EQ(stage_named(stage_name(stage)), stage);
    names.insert(stage_name(stage));
  }
  EXPECT_EQ(names.size(), 26U);
  EXPECT_EQ(stage_name(StageId::masked_scores), "masked_scores");
  EXPECT_FALSE(stage_named("masked-scores").has_value());
  EXPECT_FALSE(stage_named("").has_value());
}

TEST(Stage, TheyAreListedInTheOrderOfComputation) {
  EXPECT_EQ(all_stages().front(), StageId::input);
  EXPECT_EQ(all_stages().back(), StageId::attention_norm_out);
  EXPECT_TRUE(std::is_sorted(all_stages().begin(), all_stages().end()));
}

TEST(Stage, ScoresAreThoseBetweenQueriesAndKeys) {
  std::set<std::string_view> scores, weights;
  for (StageId stage : all_stages()) {
    if (is_score_like(stage)) scores.insert(stage_name(stage));
    if (is_weight_like(stage)) weights.insert(stage_name(stage));
  }
  EXPECT_EQ(scores, (std::set<std::string_view>{"c2p", "p2c", "raw_scores", "scores", "capped_scores", "masked_scores",
                                                "weights", "captured_weights", "dropped_weights"}));
  EXPECT_EQ(weights, (std::set<std::string_view>{"weights", "captured_weights", "dropped_weights", "sink_weights"}));
}

TEST(Request, EqualRequestsHaveEqualHashes) {
  Request a, b;
  EXPECT_EQ(hash_of(a), hash_of(b));
  a.scale = 0.0;
  b.scale = -0.0;
  ASSERT_EQ(a, b);
  EXPECT_EQ(hash_of(a), hash_of(b));
}

TEST(Request, EveryFieldChangesTheHash) {
  std::set<std::size_t> hashes = {hash_of(Request())};
  std::size_t changes = 0;
  const auto change = [&](const std::function<void(Request&)>& edit) {
    Request request;
    edit(request);
    EXPECT_FALSE(request == Request()) << "change " << changes;
    hashes.insert(hash_of(request));
    ++changes;
  };
  change([](Request& r) { r.phrase = "a"; });
  change([](Request& r) { r.second_phrase = ""; });
  change([](Request& r) { r.second_phrase = "a"; });
  change([](Request& r) { r.key_phrase = ""; });
  change([](Request& r) { r.key_phrase = "a"; });
  change([](Request& r) { r.token_ids = {1}; });
  change([](Request& r) { r.input = "a"; });
  change([](Request& r) { r.key_input = "a"; });
  change([](Request& r) { r.value_input = "a"; });
  change([](Request& r) { r.query = "a"; });
  change([](Request& r) { r.key = "a"; });
  change([](Request& r) { r.value = "a"; });
  change([](Request& r) { r.model = "a"; });
  change([](Request& r) { r.layer = 0; });
  change([](Request& r) { r.weights = "a"; });
  change([](Request& r) { r.qkv_layout = QkvLayout::blocked; });
  change([](Request& r) { r.heads = 1; });
  change([](Request& r) { r.kv_heads = 1; });
  change([](Request& r) { r.d_model = 1; });
  change([](Request& r) { r.input_dim = 1; });
  change([](Request& r) { r.batch = 1; });
  change([](Request& r) { r.seed = 1; });
  change([](Request& r) { r.init_gain = 2; });
  change([](Request& r) { r.embedding = Embedding::sequence; });
  change([](Request& r) { r.position = Position::sinusoidal; });
  change([](Request& r) { r.mask = {{MaskTerm::Kind::causal, 0, ""}}; });
  change([](Request& r) { r.mask = {{MaskTerm::Kind::padding, 1, ""}}; });
  change([](Request& r) { r.mask = {{MaskTerm::Kind::padding, 2, ""}}; });
  change([](Request& r) { r.mask_kind = MaskKind::hide; });
  change([](Request& r) { r.causal_align = CausalAlign::bottom_right; });
  change([](Request& r) { r.mask_order = MaskOrder::before_scale; });
  change([](Request& r) { r.mask_fill = -1e20; });
  change([](Request& r) { r.fully_masked = FullyMasked::zero; });
  change([](Request& r) { r.scale = 1; });
  change([](Request& r) { r.softcap = 1; });
  change([](Request& r) { r.dropout = 0.5; });
  change([](Request& r) { r.dropout_seed = 1; });
  change([](Request& r) { r.dropout_mask = "a"; });
  change([](Request& r) { r.merge = Merge::direct; });
  change([](Request& r) { r.variants = {Variant::no_scale}; });
  change([](Request& r) { r.ablate = {{0, 1}}; });
  change([](Request& r) { r.ablate = {{1, 0}}; });
  change([](Request& r) { r.ablate = {{{1, 0}, false}}; });
  change([](Request& r) { r.patches = {{"weights", {}, 1, {}, true}}; });
  change([](Request& r) { r.patches = {{"weights", {}, {}, 1, true}}; });
  change([](Request& r) { r.patch_from = "a"; });
  change([](Request& r) { r.backend = BackendChoice::reference; });
  change([](Request& r) { r.threads = 2; });
  EXPECT_EQ(hashes.size(), changes + 1);
}

TEST(Request, LayoutsAndLengthsChangeTheHash) {
  std::set<std::size_t> hashes = {hash_of(Request())};
  for (const auto edit :
       {+[](Request& r) { r.layout = HeadsLayout::bshd; },
        +[](Request& r) {
          r.lengths = {1, 2};
        },
        +[](Request& r) {
          r.lengths = {2, 1};
        },
        +[](Request& r) { r.mask_kind = MaskKind::key_hide; }, +[](Request& r) { r.mask_kind = MaskKind::key_keep; }}) {
    Request request;
    edit(request);
    hashes.insert(hash_of(request));
  }
  EXPECT_EQ(hashes.size(), 6U);
}

TEST(Request, AnImageChangesTheHash) {
  Request request;
  request.image = "a";
  EXPECT_FALSE(request == Request());
  EXPECT_NE(hash_of(request), hash_of(Request()));
}

TEST(Request, HowWeightsAreShownChangesTheHash) {
  std::vector<Request> requests(7);
  requests[1].groups = GroupBy::words;
  requests[2].hide_tokens = HideTokens::special;
  requests[3].hide_tokens = HideTokens::first;
  requests[4].renormalise = true;
  requests[5].weighting = Weighting::value_norm;
  requests[6].top_p = 0.5;
  std::set<std::size_t> hashes;
  for (const Request& request : requests) hashes.insert(hash_of(request));
  EXPECT_EQ(hashes.size(), requests.size());
}

}  // namespace
}  // namespace headscope
