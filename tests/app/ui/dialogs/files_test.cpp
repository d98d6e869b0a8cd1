// Requests whose inputs, weights and masks come from files, through the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "app/ui/dialogs/capture_hint.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/seeded.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string npy(const TemporaryFolder& folder, const std::string& name, Shape shape, Axes axes) {
  Tensor tensor = Tensor::zeros(shape, axes);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data()[i] = static_cast<float>(i % 7) * 0.1f;
  std::ofstream out(folder / name, std::ios::binary);
  write_npy(out, tensor);
  return folder / name;
}

TEST(Files, DroppedInputTakesThePlaceOfThePhraseAndGivesItBack) {
  TemporaryFolder folder;
  const std::string path = npy(folder, "x.npy", {2, 3, 16}, {Axis::batch, Axis::position, Axis::feature});
  Driver d;
  d.drop(path);
  ASSERT_EQ(d.session.draft.input, path);
  ASSERT_FALSE(d.session.problem()) << d.session.problem()->title;
  EXPECT_EQ(d.trace().query_len(), 3);
  EXPECT_EQ(d.trace().inputs->batch, 2);
  ASSERT_TRUE(d.has("phrase/back"));
  EXPECT_FALSE(d.has("phrase")) << "there is no phrase to edit";
  d.click("request/more");
  EXPECT_FALSE(d.has("request/batch")) << "the file fixes it";
  EXPECT_FALSE(d.has("request/input_dim"));
  d.click("phrase/back");
  EXPECT_EQ(d.session.draft.input, "");
  ASSERT_TRUE(d.has("phrase"));
  EXPECT_FALSE(d.session.problem());
  EXPECT_TRUE(d.trace().query_len() > 0);
}

TEST(Files, WeightsOfAFileLockWhatTheyFix) {
  TemporaryFolder folder;
  TorchGenerator generator(3);
  const LayerWeights layer = draw_layer(generator, {24, 24, 4, 4}, 1, QkvLayout::per_head);
  {
    std::ofstream out(folder / "layer.safetensors", std::ios::binary);
    write_safetensors(out,
                      {{"qkv_layer.weight", &layer.qkv.weight},
                       {"qkv_layer.bias", &layer.qkv.bias},
                       {"linear_layer.weight", &layer.output.weight},
                       {"linear_layer.bias", &layer.output.bias}},
                      {{"num_heads", "4"}});
  }
  Driver d;
  d.drop(folder / "layer.safetensors");
  ASSERT_EQ(d.session.draft.weights, folder / "layer.safetensors");
  ASSERT_FALSE(d.session.problem()) << d.session.problem()->title << d.session.problem()->detail;
  ASSERT_EQ(d.session.failure(), "");
  EXPECT_EQ(d.trace().num_heads(), 4);
  EXPECT_FALSE(d.has("request/d_model"));
  EXPECT_FALSE(d.has("request/seed"));
  EXPECT_FALSE(d.has("request/num_heads")) << "the file's metadata says how many";
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex");
  d.choose("request/weights", "seeded");
  EXPECT_EQ(d.session.draft.weights, "");
  EXPECT_TRUE(d.has("request/seed"));
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.weights, folder / "layer.safetensors");
}

TEST(Files, AMaskFileJoinsTheOtherTermsAndLeavesByItsChip) {
  TemporaryFolder folder;
  std::ofstream(folder / "mask.csv") << "0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n";
  Driver d;
  d.click("request/mask/file...");
  ASSERT_EQ(d.state.dialog, DialogKind::choose_file);
  EXPECT_EQ(d.session.draft.mask.size(), 1u) << "nothing changes before a file is chosen";
  d.key(KeyName::escape);
  d.click("request/mask/file...");
  ASSERT_EQ(d.state.dialog, DialogKind::choose_file);
  d.ctrl(KeyName::a);
  d.type(folder / "mask.csv");
  d.key(KeyName::enter);
  ASSERT_EQ(d.state.dialog, DialogKind::none);
  EXPECT_EQ(mask_text(d.session.draft.mask), "causal," + (folder / "mask.csv"));
  EXPECT_FALSE(d.session.problem());
  EXPECT_EQ(d.session.failure(), "");
  d.choose("request/mask_kind", "hide");
  EXPECT_EQ(d.session.draft.mask_kind, MaskKind::hide);
  d.click("request/mask/file...");
  EXPECT_EQ(mask_text(d.session.draft.mask), "causal");
}

TEST(Files, AMaskThatDoesNotFitIsSaidBesideItsChips) {
  TemporaryFolder folder;
  std::ofstream(folder / "mask.csv") << "0,0,0\n0,0,0\n";
  Driver d;
  d.session.draft.mask.push_back({MaskTerm::Kind::file, 0, folder / "mask.csv"});
  d.step();
  ASSERT_TRUE(d.session.problem() || !d.session.failure().empty());
  EXPECT_EQ(d.trace().query_len(), 5) << "the last good picture stays";
  EXPECT_TRUE(d.has("request/problem") || d.has("notice/failure"));
}

TEST(Files, AFileThatIsGoneIsNamedAndComputedAgainOnDemand) {
  TemporaryFolder folder;
  const std::string path = folder / "later.csv";
  Driver d;
  d.session.draft.mask = {{MaskTerm::Kind::file, 0, path}};
  d.step();
  ASSERT_TRUE(d.session.problem() || !d.session.failure().empty());
  if (d.session.failure().empty()) return;
  ASSERT_TRUE(d.has("notice/failure"));
  std::ofstream(path) << "0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n0,0,0,0,0\n";
  d.click("notice/failure/button");
  EXPECT_EQ(d.session.failure(), "");
  EXPECT_FALSE(d.has("notice/failure"));
}

TEST(Files, ADroppedTextIsThePhrase) {
  TemporaryFolder folder;
  Driver d;
  d.drop(folder.write("notes.txt", "two words"));
  EXPECT_EQ(d.session.draft.phrase, "two words");
  EXPECT_EQ(d.trace().query_len(), 2);
  d.drop(folder.write("binary.txt", "\xFF\xFE"));
  EXPECT_EQ(d.session.draft.phrase, "two words");
  EXPECT_TRUE(d.has("notice/open"));
}

TEST(Files, TheOpenDialogShowsWhatACaptureHoldsAndCopiesTheLinesThatWriteOne) {
  Driver d;
  d.key(KeyName::o, true);
  ASSERT_TRUE(d.has("open/capture"));
  d.click("open/capture/copy");
  EXPECT_EQ(d.clipboard, capture_lines());
  EXPECT_EQ(std::count(d.clipboard.begin(), d.clipboard.end(), '\n'), 6);
  d.key(KeyName::escape);
  d.resize(960, 640);
  d.key(KeyName::o, true);
  EXPECT_GT(d.rect("open/capture").min.y, d.rect("open/path").max.y + 100) << "the list has room";
}

}  // namespace
}  // namespace headscope::ui
