// A capture in the window: its tokens are named where the phrase stands otherwise, and what cannot act is locked.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "app/session/documents.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

using Strings = std::vector<std::string>;

// [1, 2, queries, keys] of rows that add up to 1.
Tensor captured_weights(std::int64_t queries, std::int64_t keys) {
  Tensor weights = Tensor::zeros({1, 2, queries, keys}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  for (std::int64_t at = 0; at < weights.size(); ++at) weights.mutable_data()[at] = 1.0F / static_cast<float>(keys);
  return weights;
}

struct CaptureInWindow : ::testing::Test {
  std::string write(const std::vector<std::string>& names, std::int64_t queries = 2, std::int64_t keys = 2) const {
    const Tensor weights = captured_weights(queries, keys);
    std::vector<NamedTensorRef> tensors;
    for (const std::string& name : names) tensors.push_back({name, &weights});
    std::ofstream out(folder / "c.safetensors", std::ios::binary);
    write_safetensors(out, tensors, {});
    return folder / "c.safetensors";
  }
  static Document opened(const std::string& path) { return open_document(path, Request(), ViewState()); }
  static bool says(const Driver& d, const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }

  TemporaryFolder folder;
};

// It has no scores, of which the legend of the colours speaks otherwise.
TEST_F(CaptureInWindow, ItsTokensCanBeFollowed) {
  Driver d(opened(write({"layers.0.weights"})));
  d.session.view.main_view = MainView::follow;
  for (const auto& [width, height] : {std::pair{1280, 800}, {1600, 1000}, {700, 500}}) {
    for (const float scale : {0.5f, 1.0f, 2.0f, 4.0f}) {
      d.resize(width, height);
      d.set_scale(scale);
      EXPECT_EQ(d.session.view.main_view, MainView::follow) << width << " at " << scale;
    }
  }
}

TEST_F(CaptureInWindow, TheFieldNamesItsTokens) {
  Driver d(opened(write({"layers.0.weights"})));
  EXPECT_EQ(d.trace().inputs->tokens, (Strings{"0", "1"}));
  d.click("phrase");
  d.type("the");
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->title, "2 names wanted, 1 given");
  EXPECT_EQ(d.trace().inputs->tokens, (Strings{"0", "1"})) << "the last good result stays";
  d.type(" cat");
  EXPECT_FALSE(d.session.problem());
  EXPECT_EQ(d.trace().inputs->tokens, (Strings{"the", "cat"}));
  EXPECT_EQ(d.trace().inputs->key_tokens, (Strings{"the", "cat"}));
  EXPECT_EQ(d.session.draft.phrase, "the cat") << "what a session saves";
  d.click("phrase/names");
  EXPECT_EQ(d.session.draft.phrase, "");
  EXPECT_EQ(d.trace().inputs->tokens, (Strings{"0", "1"})) << "those of the file again";
  d.click("phrase/names");
  EXPECT_EQ(d.session.draft.phrase, "0 1") << "to be changed";
}

TEST_F(CaptureInWindow, NamesMayBePastedAsLines) {
  Driver d(opened(write({"layers.0.weights"})));
  d.clipboard = "big cat\ndog\n";
  d.click("phrase");
  d.key(KeyName::v, true);
  EXPECT_EQ(d.trace().inputs->tokens, (Strings{"big cat", "dog"}));
}

TEST_F(CaptureInWindow, KeysOfTheirOwnHaveAFieldOfTheirOwn) {
  Driver d(opened(write({"layers.0.weights"}, 2, 3)));
  d.click("key_phrase");
  d.type("x y z");
  EXPECT_EQ(d.trace().inputs->key_tokens, (Strings{"x", "y", "z"}));
  EXPECT_EQ(d.trace().inputs->tokens, (Strings{"0", "1"}));
}

TEST_F(CaptureInWindow, WhatCannotActIsLocked) {
  Driver d(opened(write({"layers.0.weights", "layers.3.weights"})));
  for (const char* control : {"request/mask/causal", "request/scale", "request/dropout", "request/merge",
                              "request/interventions/controls", "concat", "request/layer/1", "phrase/key_phrase"}) {
    EXPECT_FALSE(d.has(control)) << control;
  }
  EXPECT_TRUE(d.has("request/layer/0") && d.has("request/layer/3"));
  EXPECT_TRUE(says(d, "1, 2")) << "the layers that are missing";
  EXPECT_FALSE(says(d, "d_model"));
  d.click("request/layer/0");
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_FALSE(d.session.problem());
  const Request before = d.session.draft;
  d.key(KeyName::k, true);
  EXPECT_EQ(d.session.draft, before) << "no second text";
  EXPECT_TRUE(d.has("notice/key-phrase"));
}

TEST_F(CaptureInWindow, LayersThatAreMissingAreSaidToBe) {
  Driver d(opened(write({"layers.0.weights", "layers.3.weights"})));
  d.key(KeyName::f3);
  d.step(3);
  EXPECT_TRUE(says(d, "not captured"));
  EXPECT_TRUE(says(d, "4 heads, 2 × 2")) << "heads of missing layers do not count";
  d.click("layers/switch");
  EXPECT_TRUE(d.session.draft.ablate.empty()) << "there is no context to clear";
}

TEST_F(CaptureInWindow, QueriesAndKeysTakeMasks) {
  Driver d(opened(write({"layers.0.query", "layers.0.key"}, 3, 4)));
  ASSERT_TRUE(d.has("request/mask/causal"));
  d.click("request/mask/causal");
  EXPECT_FALSE(d.session.problem());
  EXPECT_TRUE(d.trace().mask->hidden.hidden(0, 0, 0, 1));
  d.click("request/mask/paint");
  d.click("request/mask/file...");
  EXPECT_EQ(d.state.dialog, DialogKind::none) << "a capture takes no mask file";
  EXPECT_EQ(d.session.view.main_view, MainView::layer) << "and is not painted on";
}

TEST_F(CaptureInWindow, SeededWeightsTakeItsNamesAsTheirPhrase) {
  Document document = opened(write({"layers.0.weights"}));
  document.request.phrase = R"(["big", "cat"])";
  Driver d(document);
  d.choose("request/weights", "seeded");
  EXPECT_EQ(d.session.draft.phrase, "big cat");
  EXPECT_FALSE(d.session.problem());
}

}  // namespace
}  // namespace headscope::ui
