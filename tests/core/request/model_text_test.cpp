#include "core/request/model_text.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/request/model_kind.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

TEST(ModelText, BaseAndAdapters) {
  const ModelText plain = model_text_of("path/gpt2");
  EXPECT_EQ(plain.base, "path/gpt2");
  EXPECT_TRUE(plain.adapters.empty());
  const ModelText two = model_text_of("demo:stories with adapter a b/lora*0.5;off:style");
  EXPECT_EQ(two.base, "demo:stories");
  EXPECT_EQ(two.adapters, (std::vector<AdapterUse>{{"a b/lora", 0.5, true}, {"style", 1, false}}));
  EXPECT_EQ(text_of(two), "demo:stories with adapter a b/lora*0.5;off:style");
  EXPECT_EQ(acting_adapters(text_of(two)), (std::vector<AdapterUse>{{"a b/lora", 0.5, true}}));
  EXPECT_EQ(base_of_model("x with adapter ;"), "x with adapter ;") << "no adapters: all of it is a name";
  EXPECT_TRUE(same_base("x", "x with adapter a"));
  EXPECT_FALSE(same_base("y", "x with adapter a"));
}

TEST(ModelText, TermsReadBack) {
  for (const char* text : {"lora", "lora*0.5", "lora*-2;a*b;lora", "off:lora*1e-05", "a*2*3", "x y/z.w"}) {
    EXPECT_EQ(adapters_text(parse_adapters(text)), text);
  }
  EXPECT_EQ(adapters_text(parse_adapters("none")), "");
  EXPECT_EQ(adapters_text(parse_adapters("lora*1")), "lora");
  // A folder whose own name ends in a number is spelled with its scale.
  EXPECT_EQ(adapters_text({{"a*2", 1, true}}), "a*2*1");
  EXPECT_EQ(parse_adapters("a*2*1"), (std::vector<AdapterUse>{{"a*2", 1, true}}));
  for (const char* bad : {"", ";", "a;", "*2", "a*inf", "a*nan", "off:", "a*1,5", "a;none", "none;a"}) {
    EXPECT_THROW(parse_adapters(bad), UsageError) << bad;
  }
}

TEST(ModelText, AScaleWithACommaAndNoneAmongOthersAreExplained) {
  const auto said = [](const char* text) {
    try {
      parse_adapters(text);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(said("style;lora*1,5").find("lora*1.5"), std::string::npos) << said("style;lora*1,5");
  EXPECT_NE(said("lora*1,5").find("no comma"), std::string::npos);
  EXPECT_NE(said("a;none").find("names adapters, and none"), std::string::npos) << said("a;none");
  // A folder of such a name is told from them.
  EXPECT_EQ(parse_adapters("lora*1,5*1"), (std::vector<AdapterUse>{{"lora*1,5", 1, true}}));
  EXPECT_EQ(adapters_text({{"lora*1,5", 1, true}}), "lora*1,5*1");
  EXPECT_EQ(parse_adapters("a;./none"), (std::vector<AdapterUse>{{"a", 1, true}, {"./none", 1, true}}));
}

TEST(ModelText, NoTwoModelsHaveOneName) {
  const std::vector<std::string> names = {"x",
                                          "x with adapter y",
                                          "x with adapter y with adapter z",
                                          "a;b",
                                          ";a",
                                          "a;",
                                          "none",
                                          "off:x",
                                          "#1",
                                          "1 with adapter #1",
                                          " with adapter ",
                                          "x with adapter #1",
                                          "x with adapter",
                                          "with adapter y"};
  std::map<std::string, ModelText> seen;
  std::vector<std::vector<AdapterUse>> lists = {{}};
  for (const std::string& name : names) {
    lists.push_back({{name, 1, true}});
    lists.push_back({{"x", 1, true}, {name, 0.5, false}, {name, 1, true}});
  }
  for (const std::string& base : names) {
    for (const std::vector<AdapterUse>& adapters : lists) {
      const std::string text = text_of({base, adapters});
      EXPECT_TRUE(seen.try_emplace(text, ModelText{base, adapters}).second) << text;
      const ModelText read = model_text_of(text);
      EXPECT_EQ(read.base, base) << text;
      ASSERT_EQ(read.adapters.size(), adapters.size()) << text;
      for (std::size_t k = 0; k < adapters.size(); ++k) {
        const std::string& folder = read.adapters[k].folder;
        EXPECT_TRUE(folder == adapters[k].folder || folder == "./" + adapters[k].folder) << text;
        EXPECT_EQ(read.adapters[k].scale, adapters[k].scale) << text;
        EXPECT_EQ(read.adapters[k].on, adapters[k].on) << text;
      }
      EXPECT_EQ(text_of(read), text);
      Request request;
      find_request_option("model")->set(request, base);
      if (!adapters.empty()) find_request_option("adapter")->set(request, adapters_text(adapters));
      EXPECT_EQ(request.model, text) << "as a session says it again";
    }
  }
}

TEST(ModelText, Titles) {
  EXPECT_EQ(with_adapter_names("gpt2", "x/gpt2 with adapter /a/b/lora/*0.5;off:/a/style"),
            "gpt2 with adapter lora*0.5");
  EXPECT_EQ(with_adapter_names("gpt2", "x/gpt2"), "gpt2");
  EXPECT_EQ(with_adapter_names("gpt2", "x with adapter off:y"), "gpt2");
  EXPECT_EQ(adapters_with("x with adapter a*2", "/b/c"), "a*2;/b/c");
  EXPECT_EQ(adapters_with("x", "/b*3"), "/b*3*1");
}

TEST(ModelText, TheTwoOptionsLeaveEachOther) {
  Request request;
  const RequestOption &model = *find_request_option("model"), &adapter = *find_request_option("adapter");
  EXPECT_EQ(model.get(request), "");
  adapter.set(request, "lora*2");
  EXPECT_EQ(model.get(request), "");
  EXPECT_EQ(adapter.get(request), "lora*2");
  model.set(request, "path/gpt2");
  EXPECT_EQ(model.get(request), "path/gpt2");
  EXPECT_EQ(adapter.get(request), "lora*2");
  EXPECT_EQ(request.model, "path/gpt2 with adapter lora*2");
  adapter.set(request, "none");
  EXPECT_EQ(request.model, "path/gpt2");
  EXPECT_THROW(model.set(request, ""), UsageError);
  // A path is a path, whatever it holds.
  adapter.set(request, "lora");
  model.set(request, "runs with adapter tests/gpt2");
  EXPECT_EQ(model.get(request), "runs with adapter tests/gpt2");
  EXPECT_EQ(adapter.get(request), "lora");
  adapter.set(request, "none");
  EXPECT_EQ(base_of_model(request.model), "runs with adapter tests/gpt2");
  EXPECT_EQ(model.get(request), "runs with adapter tests/gpt2");
  EXPECT_EQ(adapter.get(request), "");
  // What a folder's name may end in changes nothing.
  model.set(request, "a with adapter");
  adapter.set(request, "b");
  EXPECT_EQ(model.get(request), "a with adapter");
  EXPECT_EQ(adapter.get(request), "b");
}

TEST(ModelText, OnlyCheckpointsTakeAdapters) {
  const auto with = [](const char* model) {
    Request request;
    request.phrase = "a b";
    find_request_option("model")->set(request, model);
    find_request_option("adapter")->set(request, "lora");
    return request;
  };
  EXPECT_FALSE(find_problem(with("demo:stories")));
  EXPECT_TRUE(runs_checkpoint(with("demo:stories")));
  for (const char* model : {"seeded", "capture.safetensors", "capture.npz"}) {
    const std::optional<Problem> problem = find_problem(with(model));
    ASSERT_TRUE(problem) << model;
    EXPECT_EQ(problem->option, "adapter") << model;
    ASSERT_FALSE(problem->suggestions.empty()) << model;
    EXPECT_FALSE(find_request_option("adapter")->scope.acts_on(with(model))) << model;
  }
  EXPECT_TRUE(is_seeded(with("seeded")));
  EXPECT_TRUE(runs_capture(with("capture.npz")));
}

}  // namespace
}  // namespace headscope
