// What runs may take from each other, as the tables say it.
#include "core/request/rows_apart.h"

#include <gtest/gtest.h>

#include <string>

#include "core/request/intervention_kinds.h"
#include "core/request/request_text.h"
#include "core/request/variant_infos.h"

namespace headscope {
namespace {

Request with(const char* option, const std::string& text) {
  Request request;
  find_request_option(option)->set(request, text);
  return request;
}

TEST(RowsApart, WhatSaysNothingKeepsNothing) {
  EXPECT_EQ(VariantInfo{}.rows, RowsApart::nowhere);
  EXPECT_EQ(InterventionKind<FrozenHead>{}.rows, RowsApart::nowhere);
  EXPECT_EQ(InterventionKind<FrozenHead>{}.reach, OptionChanges::anything);
  EXPECT_EQ(RequestOption{}.reach.changes, OptionChanges::anything);
  EXPECT_EQ(RequestOption{}.reach.rows, nullptr);
}

TEST(RowsApart, GoesAsFarAsTheLeastOfARequest) {
  EXPECT_EQ(rows_apart(Request{}), RowsApart::everywhere);
  for (const auto& [option, text] : {std::pair{"mask", "causal,window:3,alibi"},
                                     {"scale", "0.3"},
                                     {"softcap", "2"},
                                     {"dropout", "0.25"},
                                     {"variant", "no-scale"},
                                     {"variant", "scale-by-d-model,qkv-blocked-as-per-head"},
                                     {"fully-masked", "zero"},
                                     {"mask-fill", "-inf"},
                                     {"past", "0"},
                                     {"ablate", "0.1"},
                                     {"freeze", "off:0.1=uniform"},
                                     {"batch", "3"},
                                     {"threads", "2"},
                                     {"top-p", "0.5"}}) {
    EXPECT_EQ(rows_apart(with(option, text)), RowsApart::everywhere) << option << " " << text;
  }
  EXPECT_EQ(rows_apart(with("merge", "direct")), RowsApart::context);
  for (const auto& [option, text] : {std::pair{"variant", "softmax-over-queries"},
                                     {"variant", "no-scale,mask-inverted"},
                                     {"variant", "mask-after-softmax"},
                                     {"variant", "key-not-transposed"},
                                     {"fully-masked", "uniform"},
                                     {"mask-fill", "-1e20"},
                                     {"mask-fill", "3"},
                                     {"past", "2"},
                                     {"key-phrase", "a b"},
                                     {"key-past", "k.npy"},
                                     {"dropout-mask", "d.npy"}}) {
    EXPECT_EQ(rows_apart(with(option, text)), RowsApart::projections) << option << " " << text;
  }
  for (const auto& [option, text] : {std::pair{"freeze", "0.1=uniform"},
                                     {"scale-query", "2"},
                                     {"scale-key", "0.1=2"},
                                     {"edit", "scores:0,0,0,0=1"},
                                     {"paint", "hide@0,1"},
                                     {"patch", "context@A"},
                                     {"set", "context=0"},
                                     {"add", "context=a.npy"},
                                     {"project-out", "context=a.npy"},
                                     {"query", "q.npy"}}) {
    EXPECT_EQ(rows_apart(with(option, text)), RowsApart::nowhere) << option << " " << text;
  }
}

// Every row of today says what it changes: a request that differs from another loses no stage that it need not.
TEST(RowsApart, EveryOptionAndVariantSaysWhatItChanges) {
  for (const RequestOption& option : request_options()) {
    EXPECT_NE(option.reach.changes, OptionChanges::anything) << option.name;
    EXPECT_NE(option.reach.rows, nullptr) << option.name;
  }
  Request changed;
  for (const VariantInfo& info : variant_infos()) changed.variants.push_back(info.value);
  for (const auto& [option, text] : {std::pair{"heads", "2"},
                                     {"scale", "2"},
                                     {"softcap", "2"},
                                     {"softcap-order", "after-mask"},
                                     {"qkv-layout", "blocked"},
                                     {"mask-order", "before-scale"},
                                     {"mask-fill", "1"},
                                     {"fully-masked", "zero"},
                                     {"dropout", "0.5"},
                                     {"merge", "direct"},
                                     {"edit", "scores:0,0,0,0=1"}}) {
    find_request_option(option)->set(changed, text);
  }
  EXPECT_FALSE(differ_unsaid(Request{}, changed));
}

}  // namespace
}  // namespace headscope
