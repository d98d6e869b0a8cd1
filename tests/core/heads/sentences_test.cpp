#include "core/heads/sentences.h"

#include <gtest/gtest.h>

#include "core/request/request_text.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> trace_of_phrase(const std::string& phrase, const std::string& key_phrase = "") {
  Request request = small_request(1);
  request.phrase = phrase;
  if (!key_phrase.empty()) request.key_phrase = key_phrase;
  return trace_of(request);
}

TEST(Sentences, the_second_part_follows_the_separators) {
  EXPECT_EQ(second_part(*trace_of_phrase("[CLS] a b [SEP] c d [SEP]")), 4);
  EXPECT_EQ(second_part(*trace_of_phrase("<s> a </s> </s> c </s>")), 4);
  EXPECT_FALSE(second_part(*trace_of_phrase("[CLS] a b [SEP]")));
  EXPECT_FALSE(second_part(*trace_of_phrase("[CLS] a [SEP] [PAD] [PAD]")));
  EXPECT_FALSE(second_part(*trace_of_phrase("a b c")));
  EXPECT_FALSE(second_part(*trace_of_phrase("[SEP] a"))) << "nothing stands before it";
  EXPECT_FALSE(second_part(*trace_of_phrase("a [SEP] b", "c [SEP] d"))) << "two texts already";
}

TEST(Sentences, token_types_say_it_first) {
  const auto words = trace_of_phrase("a b [SEP] c d");
  auto inputs = std::make_shared<Inputs>(*words->inputs);
  inputs->token_types = {0, 0, 0, 0, 1};
  Trace trace = *words;
  trace.inputs = inputs;
  EXPECT_EQ(second_part(trace), 4);
  inputs->token_types = {0, 0, 0, 0, 0};
  EXPECT_EQ(second_part(trace), 3);
}

TEST(Sentences, a_second_phrase_begins_where_its_own_tokens_do) {
  const auto words = trace_of_phrase("a [SEP] b [SEP] c");
  auto inputs = std::make_shared<Inputs>(*words->inputs);
  inputs->second_begin = 4;
  Trace trace = *words;
  trace.inputs = inputs;
  EXPECT_EQ(second_part(trace), 4);
}

TEST(Sentences, every_pair_has_its_queries_and_keys) {
  const auto trace = trace_of_phrase("a b [SEP] c d");
  const auto expect = [&](const char* name, Range queries, Range keys) {
    const auto pair = sentence_pair_named(name);
    ASSERT_TRUE(pair.has_value());
    EXPECT_EQ(sentence_pair_name(*pair), name);
    EXPECT_EQ(arc_region(*trace, *pair).queries, queries) << name;
    EXPECT_EQ(arc_region(*trace, *pair).keys, keys) << name;
  };
  expect("all", {0, 5}, {0, 5});
  expect("a-a", {0, 3}, {0, 3});
  expect("a-b", {0, 3}, {3, 5});
  expect("b-a", {3, 5}, {0, 3});
  expect("b-b", {3, 5}, {3, 5});
  EXPECT_FALSE(sentence_pair_named("ab"));
  EXPECT_THROW(arc_region(*trace_of_phrase("a b"), SentencePair::a_to_b), UsageError);
  EXPECT_NO_THROW(arc_region(*trace_of_phrase("a b"), SentencePair::all));
}

}  // namespace
}  // namespace headscope
