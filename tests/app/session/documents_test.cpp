// Opening what a user hands over.
#include "app/session/documents.h"
#include "core/export/recipe.h"

#include <gtest/gtest.h>

#include "app/session/phrase_file.h"
#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/picture/figure/figure.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"

namespace headscope {
namespace {

class Documents : public ::testing::Test {
 protected:
  static Tensor zeros(const Shape& shape) {
    Axes axes;
    for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
    return Tensor::zeros(shape, axes);
  }
  std::string write_array(const std::string& name, const Shape& shape) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    write_npy(out, zeros(shape));
    return folder_ / name;
  }
  std::string write_layer(const std::string& name, const std::map<std::string, std::string>& metadata) const {
    const Tensor weight = zeros({24, 8}), output = zeros({8, 8});
    std::ofstream out(folder_ / name, std::ios::binary);
    write_safetensors(out, {{"in_proj_weight", &weight}, {"out_proj.weight", &output}}, metadata);
    return folder_ / name;
  }
  static Request current() {
    Request request;
    request.phrase = "what I typed";
    request.d_model = 64;
    request.heads = 4;
    request.kv_heads = 2;
    request.seed = 7;
    request.mask = {{MaskTerm::Kind::causal, 0, ""}};
    return request;
  }
  std::string error_of(const std::string& path) const {
    try {
      open_document(path, current(), ViewState());
    } catch (const Error& error) {
      return error.what();
    }
    return "(opened)";
  }
  TemporaryFolder folder_;
};

TEST_F(Documents, TheDemoRuns) {
  const Document demo = demo_document();
  EXPECT_EQ(demo.request.phrase, "Hola mi nombre es Alex");
  EXPECT_FALSE(find_problem(demo.request).has_value());
  Engine engine;
  const auto trace = engine.run(demo.request, {});
  EXPECT_EQ(trace->num_heads(), 8);
  EXPECT_EQ(trace->inputs->d_model, 512);
}

TEST_F(Documents, ASessionBringsRequestAndView) {
  ViewSpec view;
  view.head = 3;
  view.stage = StageId::scores;
  const std::string path = folder_.write("my session.json", session_json(current(), view));
  const Document document = open_document(path, Request(), ViewState());
  EXPECT_EQ(document.request, current());
  EXPECT_EQ(document.view.head, 3);
  EXPECT_EQ(document.view.stage, StageId::scores);
  EXPECT_EQ(document.title, "my session.json");
}

TEST_F(Documents, ASessionWithoutAViewKeepsTheView) {
  ViewState view;
  view.head = 5;
  const std::string path = folder_.write("s.json", session_json(current(), std::nullopt));
  const Document document = open_document(path, Request(), view);
  EXPECT_EQ(document.view, view);
  EXPECT_FALSE(document.theme.has_value());
}

TEST_F(Documents, APictureRestoresWhatMadeIt) {
  Engine engine;
  Request request = current();
  request.kv_heads.reset();
  const auto trace = engine.run(request, {});
  ViewSpec view;
  view.head = 2;
  view.theme = Theme::light;
  {
    std::ofstream out(folder_ / "p.png", std::ios::binary);
    write_png(out, Image(3, 3), recipe_of(*trace, view));
  }
  const Document document = open_document(folder_ / "p.png", Request(), ViewState());
  EXPECT_EQ(document.request, request);
  EXPECT_EQ(document.view.head, 2);
  EXPECT_EQ(document.theme, Theme::light);
}

TEST_F(Documents, APictureOfADifferenceRestoresBothRequests) {
  Engine engine;
  Request request = current();
  request.kv_heads.reset();
  Request other = request;
  other.mask = {{MaskTerm::Kind::causal, 0, ""}};
  const auto a = engine.run(other, {}), b = engine.run(request, {});
  ViewSpec view;
  view.view = ViewKind::difference;
  view.stage = StageId::context;
  {
    std::ofstream out(folder_ / "d.png", std::ios::binary);
    write_png(out, Image(3, 3), recipe_of({*b, a.get()}, view));
  }
  const Document document = open_document(folder_ / "d.png", Request(), ViewState());
  EXPECT_EQ(document.request, request);
  ASSERT_TRUE(document.against);
  EXPECT_EQ(*document.against, other);
  EXPECT_EQ(document.view.main_view, MainView::compare);
  EXPECT_EQ(document.view.stage, StageId::context);
}

TEST_F(Documents, APictureWithoutARecipeSaysSo) {
  {
    std::ofstream out(folder_ / "photo.png", std::ios::binary);
    write_png(out, Image(3, 3), {});
  }
  EXPECT_NE(error_of(folder_ / "photo.png").find("photo.png"), std::string::npos);
}

TEST_F(Documents, ALayerKeepsThePhraseAndTakesItsOwnSizes) {
  const Document document =
      open_document(write_layer("layer.safetensors", {{"num_heads", "2"}}), current(), ViewState());
  EXPECT_EQ(document.request.phrase, "what I typed");
  EXPECT_EQ(document.request.weights, folder_ / "layer.safetensors");
  EXPECT_FALSE(document.request.d_model.has_value());
  EXPECT_FALSE(document.request.heads.has_value());
  EXPECT_EQ(document.request.mask, current().mask);
  Engine engine;
  const auto trace = engine.run(document.request, {});
  EXPECT_EQ(trace->num_heads(), 2);
  EXPECT_EQ(trace->inputs->d_model, 8);
}

TEST_F(Documents, ALayerOverAttentionAloneStartsFromWords) {
  Request alone;
  alone.query = alone.key = alone.value = "q.npy";
  const Document document = open_document(write_layer("layer.safetensors", {{"num_heads", "2"}}), alone, ViewState());
  EXPECT_FALSE(is_attention_alone(document.request));
  EXPECT_FALSE(document.request.phrase.empty());
  EXPECT_FALSE(find_problem(document.request).has_value());
}

TEST_F(Documents, AnArrayBecomesTheInput) {
  const Document document = open_document(write_array("x.npy", {2, 5, 16}), current(), ViewState());
  EXPECT_EQ(document.request.input, folder_ / "x.npy");
  EXPECT_EQ(document.request.phrase, "");
  EXPECT_EQ(document.request.seed, 7u);
  Engine engine;
  EXPECT_EQ(engine.run(document.request, {})->inputs->batch, 2);
}

TEST_F(Documents, WhatCannotBeOpenedSaysWhyAndWhatWouldDo) {
  write_array("four.npy", {1, 2, 3, 4});
  write_array("one.npy", {4});
  EXPECT_NE(error_of(folder_ / "four.npy").find("--query"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "one.npy").find("1 axis"), std::string::npos);
  EXPECT_NE(error_of(folder_.path()).find("config.json"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "missing.json").find("missing.json"), std::string::npos);
  EXPECT_NE(error_of(folder_.write("notes.doc", "words")).find("expected"), std::string::npos);
  EXPECT_NE(error_of(folder_.write("page.html", "<!DOCTYPE html><html>")).find("HTML"), std::string::npos);
  EXPECT_NE(error_of(folder_.write("empty", "")).find("empty"), std::string::npos);
  EXPECT_NE(error_of(folder_.write("bad.json", "{\"phrase\": 1")), "(opened)");
  {
    const Tensor weight = zeros({3, 3});
    std::ofstream out(folder_ / "mlp.safetensors", std::ios::binary);
    write_safetensors(out, {{"mlp.weight", &weight}}, {});
  }
  EXPECT_NE(error_of(folder_ / "mlp.safetensors").find("mlp"), std::string::npos);
}

TEST_F(Documents, ACaptureIsTheModelAndBringsItsTokens) {
  const Tensor weights =
      Tensor::of({1, 1, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1, 0, 0.25, 0.75});
  const std::string path = folder_ / "capture.safetensors";
  {
    std::ofstream out(path, std::ios::binary);
    write_safetensors(out, {{"layers.2.weights", &weights}}, {{"tokens", "[\"a\", \"b\"]"}});
  }
  const Document document = open_document(path, current(), ViewState());
  Request expected;
  expected.model = path;
  EXPECT_EQ(document.request, expected);
  EXPECT_EQ(document.title, "capture.safetensors");
  const auto trace = Engine().run(document.request, {});
  EXPECT_EQ(trace->query_labels(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(trace->tensor(StageId::weights).values(), weights.values());
}

TEST_F(Documents, ArraysWhoseRowsAddUpAreCaptures) {
  const Tensor weights = Tensor::of({2, 1, 2}, {Axis::head, Axis::query, Axis::key}, {1, 0, 0.25, 0.75});
  {
    std::ofstream out(folder_ / "weights.npy", std::ios::binary);
    write_npy(out, weights);
  }
  EXPECT_EQ(open_document(folder_ / "weights.npy", current(), ViewState()).request.model, folder_ / "weights.npy");
  write_array("x.npy", {2, 1, 2});
  EXPECT_EQ(open_document(folder_ / "x.npy", current(), ViewState()).request.input, folder_ / "x.npy");
}

TEST_F(Documents, ArchivesAndFiveAxesAreCaptures) {
  const std::string npz = folder_.write("a.npz", test::from_hex(test::kStoredNpz));
  EXPECT_EQ(file_kind(npz), FileKind::npz);
  const Request archive = open_document(npz, current(), ViewState()).request;
  EXPECT_EQ(archive.model, npz);
  EXPECT_EQ(archive.phrase, "") << "the words typed before are no names of its tokens";
  const std::string five = write_array("five.npy", {2, 1, 1, 2, 2});
  EXPECT_EQ(open_document(five, current(), ViewState()).request.model, five);
  EXPECT_NE(error_of(folder_.write("model.pt", test::zip_of({{"archive/data.pkl", "x"}}))).find("broken pickle"),
            std::string::npos);
}

TEST_F(Documents, ATextFileIsOpenedAsAPhrase) {
  const std::string path = folder_.write("notes.txt", "some words");
  EXPECT_EQ(open_document(path, demo_document().request, ViewState()).request.phrase, "some words");
  EXPECT_NE(error_of(folder_.write("binary.txt", std::string("a\0b", 3))).find("NUL"), std::string::npos);
  EXPECT_NE(error_of(folder_.write("wide.txt", std::string("h\0o\0l\0a\0", 8))).find("UTF-16"), std::string::npos);
}

TEST_F(Documents, ContentDecidesNotTheName) {
  const std::string path = folder_.write("session.png", session_json(current(), std::nullopt));
  EXPECT_EQ(file_kind(path), FileKind::json);
  EXPECT_EQ(file_kind(write_array("array.json", {2})), FileKind::npy);
  EXPECT_EQ(file_kind(write_layer("layer.bin", {})), FileKind::safetensors);
  EXPECT_EQ(file_kind(folder_.path()), FileKind::folder);
  EXPECT_EQ(file_kind(folder_.write("half.npy", "\x93NU")), FileKind::npy) << "its reader says best what is wrong";
}

TEST_F(Documents, ATextFileBecomesThePhrase) {
  Request current = demo_document().request;
  current.key_phrase = "other words";
  ViewState view;
  view.cell = Cell{3, 4};
  const std::string path = folder_.write("Moby.TXT",
                                         "\xef\xbb\xbf"
                                         "Call me\nIshmael.");
  EXPECT_TRUE(is_phrase_file(path));
  EXPECT_FALSE(is_phrase_file("a.json"));
  const Document document = open_phrase(path, current, view);
  EXPECT_EQ(document.request.phrase, "Call me\nIshmael.");
  EXPECT_FALSE(document.request.key_phrase);
  EXPECT_EQ(document.request.mask, current.mask);
  EXPECT_EQ(document.title, "Moby.TXT");
  EXPECT_FALSE(document.view.cell);
  EXPECT_FALSE(document.view.log_scale);
  std::string book;
  for (int i = 0; i < 2000; ++i) book += "word" + std::to_string(i) + ' ';
  EXPECT_TRUE(open_phrase(folder_.write("book.txt", book), current, view).view.log_scale)
      << "thousands of weights are all near 0";
  EXPECT_THROW(open_phrase(folder_.write("latin.txt", "caf\xe9"), current, view), Error);
  EXPECT_THROW(open_phrase(folder_.write("nul.txt", std::string("a\0b", 3)), current, view), Error);
}

TEST_F(Documents, ACheckpointFolderBecomesTheModelAsItWasTrained) {
  Request before = current();
  before.mask = {{MaskTerm::Kind::causal, 0, ""}};
  before.ablate = {{0, 1}};
  before.merge = Merge::direct;
  before.threads = 2;
  ViewState view;
  view.layers.layer = 7;
  const std::string folder = HEADSCOPE_SOURCE_DIR "/tests/golden/models/gpt2";
  const Document document = open_document(folder + "/", before, view);
  EXPECT_TRUE(document.request.model.starts_with("/") && document.request.model.ends_with("/models/gpt2"))
      << document.request.model;
  EXPECT_EQ(document.title, "gpt2");
  EXPECT_TRUE(document.request.mask.empty() && document.request.ablate.empty());
  EXPECT_EQ(document.request.merge, Merge::transpose);
  EXPECT_EQ(document.request.threads, 2);
  EXPECT_EQ(document.view.layers.layer, -1);
  // This one has no tokenizer: the first ids stand for a text.
  EXPECT_EQ(document.request.token_ids.empty(), !document.request.phrase.empty());
}

}  // namespace
}  // namespace headscope
