// Where queries begin among the keys, files of a past, and when the softcap comes: hashes, spellings, refusals, masks.
#include "core/request/past.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/request/mask.h"
#include "core/request/mask_parts.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

using Change = std::function<void(Request&)>;

Request changed(const Change& change) {
  Request request;
  request.query = "q.npy";
  request.key = "k.npy";
  request.value = "v.npy";
  change(request);
  return request;
}

TEST(Past, EveryFieldChangesTheHash) {
  const std::vector<Change> changes = {
      [](Request&) {},
      [](Request& r) { r.past = 1; },
      [](Request& r) { r.past = kPastOfNone; },
      [](Request& r) { r.key_past = "a"; },
      [](Request& r) { r.value_past = "a"; },
      [](Request& r) { r.softcap_order = SoftcapOrder::after_mask; },
  };
  std::set<std::size_t> hashes;
  for (const Change& change : changes) hashes.insert(hash_of(changed(change)));
  EXPECT_EQ(hashes.size(), changes.size());
}

TEST(Past, ZeroIsSaidAndReadBack) {
  const RequestOption& option = *find_request_option("past");
  Request request;
  option.set(request, "0");
  EXPECT_EQ(request.past, kPastOfNone);
  EXPECT_EQ(option.get(request), "0");
  option.set(request, "12");
  EXPECT_EQ(option.get(request), "12");
  for (const char* text : {"-1", "1.5", "", "x", "99999999999999"}) {
    EXPECT_ANY_THROW(option.set(request, text)) << text;
  }
}

TEST(Past, ContradictionsAreRefusedAndEverySuggestionRuns) {
  const std::vector<std::pair<Change, const char*>> cases = {
      {[](Request& r) { r.past = 3, r.causal_align = CausalAlign::bottom_right; }, "past"},
      {[](Request& r) { r.past = -2; }, "past"},
      {[](Request& r) { r.key_past = "a.npy"; }, "value-past"},
      {[](Request& r) { r.value_past = "a.npy"; }, "key-past"},
      {[](Request& r) {
         r = Request();
         r.model = "demo:pronouns", r.phrase = "a b", r.key_past = "a.npy", r.value_past = "b.npy";
       },
       "key-past"},
      {[](Request& r) {
         r = Request();
         r.model = "capture.safetensors", r.key_past = "a.npy", r.value_past = "b.npy";
       },
       "key-past"},
      {[](Request& r) {
         r.softcap = 5, r.softcap_order = SoftcapOrder::after_mask, r.mask_order = MaskOrder::before_scale;
       },
       "softcap"},
  };
  for (const auto& [change, option] : cases) {
    const Request request = changed(change);
    const auto problem = find_problem(request);
    ASSERT_TRUE(problem) << option;
    EXPECT_STREQ(problem->option.c_str(), option);
    for (const Suggestion& suggestion : problem->suggestions) {
      Request better = request;
      find_request_option(suggestion.option)->set(better, suggestion.value);
      const auto left = find_problem(better);
      EXPECT_TRUE(!left || left->option != problem->option) << suggestion.value;
    }
  }
  EXPECT_FALSE(find_problem(changed([](Request& r) { r.key_past = "a.npy", r.value_past = "b.npy"; })));
  EXPECT_FALSE(
      find_problem(changed([](Request& r) { r.past = kPastOfNone, r.causal_align = CausalAlign::bottom_right; })));
}

TEST(Past, PositionalMasksCountFromIt) {
  for (const std::int64_t past : {0, 1, 4}) {
    Request request;
    find_request_option("mask")->set(request, "causal,window:2,padding:1");
    request.past = past;
    const MaskSizes sizes{.batch = 1, .heads = 1, .query_len = 4, .key_len = 9};
    const HiddenCells hidden = build_mask(request, {}, sizes).hidden;
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 9; ++j) {
        const std::int64_t p = i + past;
        std::vector<std::string> wanted, found;
        if (j > p) wanted.push_back("causal");
        if (j > p + 2 || j < p - 2) wanted.push_back("window:2");
        if (j >= 8) wanted.push_back("padding:1");
        for (const MaskPart& part : mask_parts(request, {}, sizes, {}, {0, 0, i, j})) found.push_back(part.name);
        EXPECT_EQ(found, wanted) << past << " " << i << " " << j;
        EXPECT_EQ(hidden.hidden(0, 0, i, j), !wanted.empty());
      }
    }
  }
}

TEST(Past, AFileIsAPartWhereItHidesOrAdds) {
  Request request;
  find_request_option("mask")->set(request, "a.npy,b.npy,alibi");
  const Tensor adds = Tensor::of({3}, {Axis::key}, {0.5F, -INFINITY, 0});
  const Tensor keeps = Tensor::of({2, 1}, {Axis::query, Axis::key}, {1, 0});
  const std::vector<MaskFile> files = {{"a.npy", adds, false, false}, {"b.npy", keeps, true, false}};
  const MaskSizes sizes{.batch = 1, .heads = 2, .query_len = 2, .key_len = 3};
  const auto parts = mask_parts(request, files, sizes, {}, {0, 1, 1, 1});
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "alibi");
  EXPECT_FALSE(parts[0].hides);
  EXPECT_EQ(parts[1].name, "a.npy");
  EXPECT_EQ(parts[1].index, (Index{1}));
  EXPECT_TRUE(parts[1].hides);
  EXPECT_EQ(parts[2].index, (Index{1, 0}));
  EXPECT_TRUE(parts[2].hides);
  EXPECT_EQ(mask_parts(request, files, sizes, {}, {0, 1, 0, 0}).size(), 2U) << "a kept cell is no part";
}

}  // namespace
}  // namespace headscope
