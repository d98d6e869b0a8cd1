// Adapters in the window: added where the weights are chosen, scaled, switched off and on, and taken out again.
#include <gtest/gtest.h>

#include "app/session/session.h"
#include "core/model/checkpoint.h"
#include "core/request/model_text.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"
#include "tests/core/model/adapter_files.h"

namespace headscope::ui {
namespace {

// Of demo:induction.
std::string write_lora(const TemporaryFolder& folder) {
  MadeAdapter adapter;
  adapter.add("layers.1.qkv", 192, 64);
  return adapter.write(folder / "lora");
}

Document induction() {
  return open_document("demo:induction", Request(), ViewState());
}

Tensor queries(const Driver& d) {
  return d.trace().find(StageId::query)->tensor;
}

TEST(RequestAdapters, AFolderIsAddedBesideTheWeights) {
  const TemporaryFolder folder;
  const std::string lora = write_lora(folder);
  Driver d(induction());
  const std::vector<float> plain = queries(d).values();
  EXPECT_FALSE(d.has("request/adapter/0"));
  d.choose("request/weights", "Add an adapter...");
  ASSERT_EQ(d.state.dialog, DialogKind::choose_file);
  d.ctrl(KeyName::a);
  d.type(lora);
  d.key(KeyName::enter);
  d.key(KeyName::enter);  // a folder is entered first
  ASSERT_EQ(d.state.dialog, DialogKind::none);
  EXPECT_EQ(d.session.draft.model, "demo:induction with adapter " + lora);
  EXPECT_EQ(d.session.failure(), "");
  ASSERT_TRUE(d.has("request/adapter/0"));
  EXPECT_NE(queries(d).values(), plain);
  EXPECT_EQ(d.trace().model->name, "demo:induction with adapter lora");
}

TEST(RequestAdapters, ALineSwitchesScalesAndRemovesIt) {
  const TemporaryFolder folder;
  const std::string lora = write_lora(folder);
  Document document = induction();
  find_request_option("adapter")->set(document.request, lora);
  Driver d(document);
  const std::vector<float> with = queries(d).values();
  d.click("request/adapter/0", 0.1F);
  EXPECT_EQ(d.session.draft.model, "demo:induction with adapter off:" + lora);
  const std::vector<float> plain = queries(d).values();
  EXPECT_NE(plain, with);
  EXPECT_TRUE(d.has("request/layer/0")) << "what the model fixes stays on screen";
  d.click("request/adapter/0", 0.1F);
  EXPECT_EQ(queries(d).values(), with);
  d.click("request/adapter/0/scale");
  d.ctrl(KeyName::a);
  d.type("0.5");
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.draft.model, "demo:induction with adapter " + lora + "*0.5");
  EXPECT_NE(queries(d).values(), with);
  EXPECT_NE(queries(d).values(), plain);
  d.click("request/adapter/0/remove");
  EXPECT_EQ(d.session.draft.model, "demo:induction");
  EXPECT_EQ(queries(d).values(), plain);
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.model, "demo:induction with adapter " + lora + "*0.5");
}

TEST(RequestAdapters, OneThatDoesNotFitIsSaid) {
  const TemporaryFolder folder;
  MadeAdapter adapter;
  adapter.add("layers.9.qkv", 192, 64);
  Driver d(induction());
  d.push(CommandId::set_option, "adapter=" + adapter.write(folder / "wrong"));
  d.step();
  EXPECT_NE(d.session.failure().find("layers.9.qkv.weight has no weight there"), std::string::npos)
      << d.session.failure();
  d.click("request/adapter/0/remove");
  EXPECT_EQ(d.session.failure(), "");
}

}  // namespace
}  // namespace headscope::ui
