// Long because every option has its rows here, as it is spelled and as it is refused.
#include "core/request/request_text.h"

#include <limits>

#include "tests/core/io/io_helpers.h"
#include "tests/core/request/set_option.h"

namespace headscope {
namespace {

using namespace test;

std::string get(const Request& request, const std::string& option) {
  return find_request_option(option)->get(request);
}

using Values = std::vector<std::pair<std::string, std::string>>;

// Of where vectors come from.
Values source_values() {
  return {
      {"phrase", "it's \xf0\x9f\x98\x80\n\"two\" lines"},
      {"second-phrase", "la segunda"},
      {"token-ids", "1,2,0"},
      {"image", "a cat.jpg"},
      {"features", "a sound.npy"},
      {"decoder-phrase", "une phrase"},
      {"decoder-ids", "0,7,7"},
      {"key-phrase", "otra frase"},
      {"input", "x.npy"},
      {"key-input", "k x.npy"},
      {"value-input", "v.npy"},
      {"query", "q.npy"},
      {"key", "key.npy"},
      {"value", "value.npy"},
      {"layout", "bshd"},
      {"lengths", "3,1,7"},
      {"key-past", "key_past.npy"},
      {"value-past", "value_past.npy"},
  };
}

// Of how weights are shown.
Values shown_values() {
  return {
      {"groups", "words"},         {"hide-tokens", "special"}, {"renormalise", "on"},
      {"weighting", "value-norm"}, {"top-p", "0.9"},
  };
}

// Of all else.
Values other_values() {
  return {
      {"model", "demo:pronouns"},
      {"adapter", "a b/lora*0.5;off:style"},
      {"layer", "3"},
      {"attention", "decoder"},
      {"weights", "layer.safetensors"},
      {"qkv-layout", "blocked"},
      {"heads", "12"},
      {"kv-heads", "4"},
      {"d-model", "768"},
      {"input-dim", "1024"},
      {"batch", "30"},
      {"seed", "18446744073709551615"},
      {"init-gain", "0.1"},
      {"embedding", "sequence"},
      {"position", "sinusoidal"},
      {"mask", "causal,padding:2,window:0,prefix:3,m.npy,a/b.csv,M.NPY,N.Csv"},
      {"mask-kind", "hide"},
      {"causal-align", "bottom-right"},
      {"past", "7"},
      {"mask-order", "before-scale"},
      {"mask-fill", "-1e+20"},
      {"fully-masked", "uniform"},
      {"scale", "0.125"},
      {"softcap", "30"},
      {"softcap-order", "after-mask"},
      {"dropout", "0.5"},
      {"dropout-seed", "9223372036854775808"},
      {"dropout-mask", "keep.npy"},
      {"merge", "direct"},
      {"variant", "no-scale,mask-inverted"},
      {"ablate", "0.1,2.30,off:1.1"},
      {"freeze", "0.3=uniform,off:1.2=identity"},
      {"scale-query", "0.5,off:0.3=-2"},
      {"scale-key", "off:2,1.0=1e-07"},
      {"edit", "scores:0,2,3,1=0.5;off:1/input:0,4,7=-inf;a/b=c:d:0,1=3;Wq:3,7=1e-07;9/3/x:0=-0"},
      {"paint", "hide@:,3:4;show@2:,0:5;off:hide@0:3,:"},
      {"patch", "1/context:3,2@A;off:stream:4@A;0/mlp_out:2@A;weights:,1@A"},
      {"set", "1/context:3,2..4=a b.npy;off:value:,-1=-0.5;0/stream:-3..-1=a.npy;weights:1=inf"},
      {"add", "1/stream=steer.npy*4;1/stream=steer.npy*4;mlp_out:-1=b.npy*-0.5"},
      {"project-out", "attention_out:2=d.npy;off:context:3=d.npy"},
      {"patch-from", "a b.json"},
      {"backend", "reference"},
      {"threads", "7"},
  };
}

// A value for every option, none the default, each spelled as `get` spells it.
const Values& every_value() {
  static const Values values = [] {
    Values all = source_values();
    for (const Values& more : {other_values(), shown_values()}) all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return values;
}

TEST(RequestText, EveryOptionOfTheContractIsInTheTableInItsOrder) {
  std::vector<std::string> names, expected;
  for (const RequestOption& option : request_options()) names.push_back(option.name);
  for (const auto& [name, value] : every_value()) expected.push_back(name);
  EXPECT_EQ(names, expected);
}

TEST(RequestText, EveryOptionIsEmptyAtItsDefaultAndReadsBackWhatItWrites) {
  for (const auto& [name, value] : every_value()) {
    SCOPED_TRACE(name);
    const RequestOption& option = *find_request_option(name);
    Request request;
    EXPECT_EQ(option.get(request), "");
    EXPECT_FALSE(is_given(option, request));
    option.set(request, value);
    EXPECT_EQ(option.get(request), value);
    EXPECT_TRUE(is_given(option, request));
    EXPECT_FALSE(request == Request{}) << "the option changes a field";
    EXPECT_NE(std::string(option.help), "");
  }
}

TEST(RequestText, ACommandLineOfEverythingMakesTheSameRequest) {
  Request all;
  for (const auto& [name, value] : every_value()) find_request_option(name)->set(all, value);
  const std::vector<std::string> words = command_line_of(all);
  EXPECT_EQ(words.size(), 2 * every_value().size() - 1) << "--renormalise is a flag";
  Request back;
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_TRUE(words[i].starts_with("--"));
    const RequestOption& option = *find_request_option(words[i].substr(2));
    option.set(back, is_flag(option) ? "on" : words[++i]);
  }
  EXPECT_TRUE(back == all);
  EXPECT_TRUE(command_line_of(Request{}).empty());
}

TEST(RequestText, AnEmptyKeyPhraseIsGivenAllTheSame) {
  const Request request = with("key-phrase", "");
  EXPECT_TRUE(request.key_phrase.has_value());
  EXPECT_EQ(command_line_of(request), (std::vector<std::string>{"--key-phrase", ""}));
  EXPECT_EQ(shell_command_of(request, "run"), "run --key-phrase ''");
}

TEST(RequestText, ValuesThatSayTheDefaultAreTheDefault) {
  EXPECT_TRUE(with("mask", "none") == Request{});
  EXPECT_TRUE(with("scale", "auto") == Request{});
  EXPECT_TRUE(with("softcap", "off") == Request{});
  EXPECT_TRUE(with("mask-fill", "-inf") == Request{});
  EXPECT_TRUE(with("seed", "0") == Request{});
  EXPECT_TRUE(with("merge", "transpose") == Request{});
  EXPECT_TRUE(with("model", "seeded") == Request{});
  EXPECT_TRUE(with("backend", "auto") == Request{});
  EXPECT_TRUE(with("groups", "pieces") == Request{});
  EXPECT_TRUE(with("hide-tokens", "none") == Request{});
  EXPECT_TRUE(with("renormalise", "off") == Request{});
  EXPECT_TRUE(with("weighting", "weights") == Request{});
  EXPECT_TRUE(with("top-p", "1") == Request{});
}

TEST(RequestText, ALaterValueReplacesAnEarlierOne) {
  Request request = with("mask", "causal,padding:1");
  find_request_option("mask")->set(request, "window:2");
  EXPECT_EQ(mask_text(request.mask), "window:2");
  find_request_option("mask")->set(request, "none");
  EXPECT_TRUE(request == Request{});
}

TEST(RequestText, MergeDirectIsTheMergeAndTheOtherVariantsAreKeptInOneOrder) {
  const Request request = with("variant", "mask-inverted,merge-direct,no-scale,mask-inverted");
  EXPECT_EQ(request.merge, Merge::direct);
  EXPECT_EQ(request.variants, (std::vector<Variant>{Variant::no_scale, Variant::mask_inverted}));
  EXPECT_TRUE(with("variant", "merge-direct") == with("merge", "direct"));
  EXPECT_TRUE(with("ablate", "2.1,0.3,2.1") == with("ablate", "0.3,2.1"));
}

TEST(RequestText, EveryVariantOfTheContractHasItsName) {
  for (const char* name :
       {"softmax-over-queries", "no-scale", "scale-by-d-model", "mask-inverted", "mask-after-softmax",
        "qkv-blocked-as-per-head", "qkv-per-head-as-blocked", "key-not-transposed"}) {
    EXPECT_EQ(get(with("variant", name), "variant"), name);
  }
}

TEST(RequestText, NumbersArePrintedInTheShortestFormThatReadsBack) {
  EXPECT_EQ(get(with("scale", "0.1000"), "scale"), "0.1");
  EXPECT_EQ(get(with("scale", "1e-3"), "scale"), "0.001");
  EXPECT_EQ(get(with("mask-fill", "-100000000000000000000"), "mask-fill"), "-1e+20");
  EXPECT_EQ(get(with("dropout", ".5"), "dropout"), "0.5");
  EXPECT_EQ(*with("scale", "0.30000000000000004").scale, 0.30000000000000004);
  EXPECT_EQ(get(with("scale", "0.30000000000000004"), "scale"), "0.30000000000000004");
}

TEST(RequestText, NothingButTheWholeValueIsANumber) {
  for (const char* option :
       {"heads", "kv-heads", "d-model", "input-dim", "batch", "layer", "threads", "seed", "dropout-seed"}) {
    for (const char* text : {"", " 8", "8 ", "+8", "-8", "8.0", "8e0", "0x8", "eight", "8,8", "8\n",
                             "99999999999999999999", "nan", "\xd9\xa8"}) {
      SCOPED_TRACE(std::string(option) + " " + text);
      EXPECT_TRUE(contains(refused(option, text), std::string("--") + option + ": '"));
    }
  }
  for (const char* option : {"scale", "softcap", "dropout", "init-gain", "mask-fill"}) {
    for (const char* text : {"", " 1", "1 ", "+1", "0x1", "one", "nan", "inf", "1e999", "1,5", "1d", "--1", "1e"}) {
      SCOPED_TRACE(std::string(option) + " " + text);
      EXPECT_TRUE(contains(refused(option, text), std::string("--") + option + ": '"));
    }
  }
}

TEST(RequestText, NumbersHaveTheirRanges) {
  for (const char* option : {"heads", "kv-heads", "d-model", "input-dim", "batch"}) refused(option, "0");
  EXPECT_EQ(*with("layer", "0").layer, 0);
  refused("threads", "4097");
  refused("softcap", "0");
  refused("softcap", "-3");
  refused("dropout", "-0.1");
  refused("dropout", "1.1");
  EXPECT_EQ(with("dropout", "1").dropout, 1.0);
  refused("mask-fill", "-1e39");
  EXPECT_EQ(with("mask-fill", "-3e38").mask_fill, -3e38);
  EXPECT_EQ(*with("scale", "-1").scale, -1.0);
}

TEST(RequestText, MasksAreCheckedTermByTerm) {
  for (const char* text : {"", ",", "causal,", ",causal", "causal,,none", "Causal", "causal ", "padding",
                           "padding:", "padding:-1", "padding:1.5", "padding:+1", "padding:x",
                           "window:99999999999999999999", "causal:1", "m.txt", ".npy", "prefix: 3", "m.npy.gz"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(contains(refused("mask", text), "--mask: '"));
  }
  EXPECT_EQ(get(with("mask", "none,causal"), "mask"), "causal");
  const Request file = with("mask", "padding:2.npy");
  ASSERT_EQ(file.mask.size(), 1u);
  EXPECT_EQ(file.mask[0].kind, MaskTerm::Kind::file);
  EXPECT_EQ(file.mask[0].path, "padding:2.npy");
}

TEST(RequestText, ListsAreCheckedTermByTerm) {
  for (const char* text : {"", "1,", "1,,2", "-1", "1.5", "a", "1 2", "9223372036854775808"})
    refused("token-ids", text);
  for (const char* text : {"", "1", "1.", ".1", "1.2.3", "-1.2", "1.2,", "L0.H1", "0 .1", "1e0.1"})
    refused("ablate", text);
  for (const char* text :
       {"", "0.1", "0.1=", "0.1=Uniform", "0.1=uniform,", "1=uniform", "off:", "off:off:0.1=uniform"})
    refused("freeze", text);
  for (const char* option : {"scale-query", "scale-key"}) {
    for (const char* text : {"", "two", "1,", "nan", "inf", "0.1=", "=2", "0.=2", "1e999", "0.1=2=3", "off:"})
      refused(option, text);
  }
  for (const char* text : {"", ";", "scores", "scores=1", "scores:0,0,0,0", "scores:=1", "scores:0,=1", "scores:-1=1",
                           "scores:0,1,2,3,4,5=1", "scores:0=nan", "scores:0=1e39", "scores:0=x", ":0=1", "1/:0=1",
                           "scores:0=1;", "scores:0 =1", "scores:99999999999999999999=1"})
    refused("edit", text);
  for (const char* text : {"", "hide", "hide@", "hide@1", "hide@1,", "hide@,1", "hide@1:1,:", "hide@3:1,:", "Hide@:,:",
                           "hide@a,:", "hide@-1:2,:", "hide@:,:;", "hide@:,:,:", "paint@:,:", "hide@1:2:3,:"})
    refused("paint", text);
  for (const char* text : {"", "no-scale,", "noscale", "No-Scale", "transpose"}) refused("variant", text);
}

TEST(RequestText, OfTermsAboutTheSameThingTheLastOneCounts) {
  EXPECT_TRUE(with("ablate", "0.1,off:0.1") == with("ablate", "off:0.1"));
  EXPECT_TRUE(with("ablate", "off:0.1,0.1") == with("ablate", "0.1"));
  EXPECT_TRUE(with("freeze", "0.1=uniform,0.1=identity") == with("freeze", "0.1=identity"));
  EXPECT_TRUE(with("scale-query", "2,0.1=3,4") == with("scale-query", "0.1=3,4"));
  EXPECT_TRUE(with("edit", "key:0,0,0,0=1;key:0,0,0,0=2") == with("edit", "key:0,0,0,0=2"));
  EXPECT_FALSE(with("edit", "key:0,0,0,0=1;0/key:0,0,0,0=2") == with("edit", "0/key:0,0,0,0=2"));
  EXPECT_FALSE(with("edit", "off:key:0,0,0,0=1") == with("edit", "key:0,0,0,0=1"));
  for (const char* option : {"ablate", "freeze", "scale-query", "scale-key", "edit", "paint"}) {
    EXPECT_TRUE(with(option, "none") == Request{}) << option;
  }
}

TEST(RequestText, ARectangleMayNameOneRowOrAllOfThem) {
  EXPECT_EQ(get(with("paint", "hide@2,:"), "paint"), "hide@2:3,:");
  EXPECT_EQ(get(with("paint", "show@:4,0:"), "paint"), "show@0:4,:");
}

TEST(RequestText, ARefusedValueLeavesTheRequestAsItWas) {
  for (const auto& [name, value] : every_value()) {
    Request request;
    find_request_option(name)->set(request, value);
    const Request before = request;
    try {
      find_request_option(name)->set(request, std::string("causal,no-scale,1,0.1,bad\0", 27));
      ADD_FAILURE() << name;
    } catch (const UsageError&) {
    }
    EXPECT_TRUE(request == before) << name;
  }
}

}  // namespace
}  // namespace headscope
