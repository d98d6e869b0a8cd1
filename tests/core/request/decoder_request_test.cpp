// What a request says of a decoder: what cannot run, which list is shown, and that every field counts.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

struct Case {
  std::function<void(Request&)> edit;
  const char* option;
  const char* says;  // found in the one line
};

TEST(DecoderRequest, WhatCannotRunSaysWhy) {
  const std::vector<Case> cases = {
      {[](Request& r) { r.decoder_phrase = "a"; }, "decoder-phrase", "needs a model with an encoder and a decoder"},
      {[](Request& r) { r.decoder_ids = {1}; }, "decoder-ids", "needs a model with an encoder and a decoder"},
      {[](Request& r) { r.attention = AttentionList::encoder; }, "attention", "needs a model with an encoder"},
      {[](Request& r) { r.model = "a.npz", r.decoder_phrase = "a"; }, "decoder-phrase", "needs a model"},
      {[](Request& r) { r.model = "folder", r.decoder_phrase = ""; }, "decoder-phrase", "holds no token"},
      {[](Request& r) { r.model = "folder", r.decoder_phrase = "a\xff"; }, "decoder-phrase", "UTF-8"},
      {[](Request& r) { r.model = "folder", r.decoder_phrase = "a", r.decoder_ids = {1}; }, "decoder-ids", "exclude"},
      {[](Request& r) { r.model = "folder", r.attention = AttentionList::cross; }, "attention", "text of the decoder"},
      {[](Request& r) { r.model = "folder", r.attention = AttentionList::decoder; }, "attention",
       "text of the decoder"},
      {[](Request& r) { r.model = "folder", r.attention = AttentionList::pool; }, "attention", "pool needs an image"},
      {[](Request& r) { r.model = "folder", r.decoder_ids = {1}, r.attention = AttentionList::pool; }, "attention",
       "pool needs an image"},
      {[](Request& r) { r.attention = AttentionList::pool; }, "attention", "needs a model with an encoder"},
      {[](Request& r) { r.model = "folder", r.phrase = "", r.image = "a.png", r.decoder_ids = {1}; }, "decoder-ids",
       "decoder-ids and image exclude"},
      {[](Request& r) { r.model = "folder", r.phrase = "", r.image = "a.png", r.decoder_phrase = "a"; },
       "decoder-phrase", "decoder-phrase and image exclude"},
  };
  for (const Case& each : cases) {
    Request request;
    request.phrase = "a b";
    each.edit(request);
    const std::optional<Problem> problem = find_problem(request);
    ASSERT_TRUE(problem.has_value()) << each.says;
    EXPECT_EQ(problem->option, each.option);
    EXPECT_NE(one_line(*problem).find(each.says), std::string::npos) << one_line(*problem);
  }
}

TEST(DecoderRequest, TheListFollowsFromTheTexts) {
  Request request;
  EXPECT_EQ(attention_list(request), AttentionList::encoder);
  request.decoder_ids = {0};
  EXPECT_EQ(attention_list(request), AttentionList::cross);
  EXPECT_TRUE(is_cross_attention(request));
  request.attention = AttentionList::decoder;
  EXPECT_TRUE(shows_decoder(request));
  EXPECT_FALSE(is_cross_attention(request));
  request.attention = AttentionList::encoder;
  EXPECT_FALSE(shows_decoder(request));
  request.attention = AttentionList::pool;
  EXPECT_FALSE(shows_decoder(request));
  EXPECT_TRUE(is_cross_attention(request)) << "its one query is learned, its keys are patches";
  find_request_option("attention")->set(request, "pool");
  EXPECT_TRUE(shows_pool(request));
}

// Found by fuzzing: without it a window that is begun again would have no field for the decoder's text.
TEST(DecoderRequest, AnEmptyTextIsGivenToo) {
  Request request;
  request.decoder_phrase = "";
  EXPECT_TRUE(is_given(*find_request_option("decoder-phrase"), request));
  EXPECT_FALSE(is_given(*find_request_option("decoder-phrase"), Request()));
}

TEST(DecoderRequest, EveryFieldChangesTheHash) {
  const Request plain;
  const std::vector<std::function<void(Request&)>> changes = {[](Request& r) { r.decoder_phrase = "a"; },
                                                              [](Request& r) { r.decoder_ids = {1}; },
                                                              [](Request& r) { r.attention = AttentionList::encoder; }};
  for (const auto& change : changes) {
    Request changed;
    change(changed);
    EXPECT_NE(changed, plain);
    EXPECT_NE(hash_of(changed), hash_of(plain));
  }
}

}  // namespace
}  // namespace headscope
