#include "core/request/model_text.h"

#include <gtest/gtest.h>

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
  for (const char* bad : {"", ";", "a;", "*2", "a*inf", "a*nan", "off:", "x with adapter y", "with adapter y"}) {
    EXPECT_THROW(parse_adapters(bad), UsageError) << bad;
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
  model.set(request, "other with adapter style");
  EXPECT_EQ(adapter.get(request), "style");
  for (const char* bad : {"", "a with adapter ;", "a with adapter b with adapter c"}) {
    EXPECT_THROW(model.set(request, bad), UsageError) << bad;
  }
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
