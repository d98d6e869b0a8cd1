// The bug lab: switches change what is compared and not the request, verdicts are of the stage in view, the user's own
// tensors are named.
#include "app/ui/bug_lab/bug_lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/compare/variant_run.h"
#include "core/io/npy.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Document causal_document() {
  Document document = demo_document();
  document.request = Request();
  document.request.phrase = "The animal didn't cross the street because it was too tired .";
  document.request.heads = 8;
  document.request.d_model = 64;
  document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return document;
}

class BugLab : public testing::Test {
 protected:
  BugLab() : d(causal_document()) { d.ctrl(KeyName::b); }
  BugLabView& lab() { return d.session.view.bug_lab; }
  bool says(const std::string& words) {
    for (const std::string& name : d.names("bug_lab/verdict/")) {
      if (name.find(words) != std::string::npos) return true;
    }
    return false;
  }
  Driver d;
};

TEST_F(BugLab, TakesThePlaceOfTheOtherPanelsAndBack) {
  EXPECT_EQ(d.session.view.main_view, MainView::bug_lab);
  EXPECT_TRUE(d.has("bug_lab"));
  EXPECT_FALSE(d.has("heads/0"));
  // Causal, random weights: a checkpoint's layouts and a square matrix of scores are not there, and folded.
  EXPECT_LT(d.names(kLabList).size(), variant_names().size());
  d.ctrl(KeyName::b);
  EXPECT_FALSE(d.has("bug_lab"));
  EXPECT_TRUE(d.has("heads/0"));
}

TEST_F(BugLab, SaysWhatTheDirectMergeDoes) {
  EXPECT_EQ(lab().variants, std::vector<std::string>{"merge-direct"});
  EXPECT_TRUE(says("Each concat row mixes 8 tokens and 1 or 2 heads instead of 1 token and 8 heads."));
  EXPECT_TRUE(says("The future leaks: 10 of 12 rows"));
  EXPECT_TRUE(says("2 of 96 blocks stay in place: the first and the last."));
  EXPECT_TRUE(d.has("bug_lab/blocks/0"));
  EXPECT_TRUE(d.has("bug_lab/blocks/2"));
}

TEST_F(BugLab, SpaceSwitchesAndTwoCanBeOn) {
  EXPECT_EQ(d.focus(), "bug_lab/variant/merge-direct");
  d.key(KeyName::down);
  EXPECT_EQ(d.focus(), "bug_lab/variant/softmax-over-queries");
  d.key(KeyName::space);
  EXPECT_EQ(lab().variants, (std::vector<std::string>{"merge-direct", "softmax-over-queries"}));
  d.key(KeyName::down);
  d.key(KeyName::space);
  EXPECT_EQ(lab().variants, (std::vector<std::string>{"softmax-over-queries", "no-scale"})) << "the oldest gives way";
  d.key(KeyName::space);
  EXPECT_EQ(lab().variants, std::vector<std::string>{"softmax-over-queries"});
  EXPECT_EQ(d.session.draft.merge, Merge::transpose) << "the request is left alone";
  EXPECT_TRUE(d.session.draft.variants.empty());
}

TEST_F(BugLab, UseInTheRequestIsAStepOfItsOwn) {
  d.click("bug_lab/variant/no-scale", 0.5f, 0.1f);
  d.click("bug_lab/use");
  EXPECT_EQ(variants_of(d.session.draft), (std::vector<std::string>{"merge-direct", "no-scale"}));
  EXPECT_EQ(d.trace().request.merge, Merge::direct);
  EXPECT_TRUE(says("The future leaks")) << "right is still computed without them";
  d.ctrl(KeyName::z);
  EXPECT_TRUE(variants_of(d.session.draft).empty());
}

TEST_F(BugLab, WhatCannotRunIsLocked) {
  EXPECT_FALSE(d.has("bug_lab/variant/key-not-transposed"));
  ASSERT_TRUE(d.has("bug_lab/locked"));
  d.click("bug_lab/locked");
  d.step();
  EXPECT_EQ(d.names(kLabList).size(), variant_names().size()) << "each with what it needs";
  d.click("bug_lab/variant/key-not-transposed", 0.5f, 0.1f);
  EXPECT_EQ(lab().variants, std::vector<std::string>{"merge-direct"}) << "12 keys, head_dim 8";
}

TEST_F(BugLab, DGoesToTheNextStageThatDiffers) {
  lab().variants = {"no-scale"};
  d.step();
  std::vector<StageId> seen;
  for (int k = 0; k < 6; ++k) {
    d.key(KeyName::d);
    seen.push_back(lab().stage);
  }
  for (const StageId stage : seen) EXPECT_GE(stage, StageId::scores) << "raw_scores and all before are equal";
  EXPECT_EQ(std::count(seen.begin(), seen.end(), StageId::masked_scores), 1);
}

TEST_F(BugLab, EveryStageCanBeLookedAt) {
  for (const Stage& stage : d.trace().stages) {
    for (const auto shows : {BugLabView::Shows::right, BugLabView::Shows::wrong, BugLabView::Shows::side_by_side}) {
      lab().stage = stage.id;
      lab().shows = shows;
      d.step();
      const char* side = shows == BugLabView::Shows::wrong ? "bug_lab/values/1" : "bug_lab/values/0";
      EXPECT_TRUE(d.has(side)) << stage_name(stage.id);
    }
  }
}

TEST_F(BugLab, SplitVariantsShowWhatTheRowsAre) {
  lab().variants = {"qkv-per-head-as-blocked"};
  lab().stage = StageId::query;
  d.step();
  EXPECT_TRUE(d.has("bug_lab/blocks/1"));
  EXPECT_TRUE(says("blocks of query, key and value are rows of something else"));
}

TEST_F(BugLab, PicturesShareOneRangeAndTheDifferenceIsCentred) {
  d.textures.of_frame.clear();
  d.step(1);
  std::vector<HeatmapSpec> shown;
  for (const HeatmapSpec& spec : d.textures.of_frame) {
    if (spec.matrix.dim(1) == 64) shown.push_back(spec);
  }
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0].range.low, shown[1].range.low);
  EXPECT_EQ(shown[0].range.high, shown[1].range.high);
  EXPECT_EQ(shown[2].range.low, -shown[2].range.high);
  const float difference = shown[2].matrix.at({1, 3});
  EXPECT_EQ(difference, shown[1].matrix.at({1, 3}) - shown[0].matrix.at({1, 3}));
}

class Comparison : public BugLab {
 protected:
  std::string written(const std::string& name, const Tensor& tensor) {
    const std::string path = folder_ / name;
    std::ofstream out(path, std::ios::binary);
    write_npy(out, tensor);
    return path;
  }
  bool answers(const std::string& fact) { return d.has("bug_lab/answer/" + fact); }
  void choose(const std::string& path) {
    d.click("bug_lab/choose");
    ASSERT_EQ(d.state.dialog, DialogKind::choose_file);
    d.state.dialogs.browser.typed = path;
    d.key(KeyName::enter);
    d.step(4);
  }
  TemporaryFolder folder_;
};

TEST_F(Comparison, NamesTheMistake) {
  const auto wrong = rerun(d.trace(), {"merge-direct"}, make_reference_backend(), {});
  choose(written("my_output.npy", wrong->tensor(StageId::output)));
  ASSERT_NE(d.session.jobs.comparison(), nullptr) << d.session.jobs.current().result;
  EXPECT_TRUE(answers("It is merge-direct."));
  d.click("bug_lab/clear");
  EXPECT_EQ(d.session.jobs.comparison(), nullptr);
}

TEST_F(Comparison, SaysEqualAndNothingKnown) {
  choose(written("output.npy", d.trace().tensor(StageId::output)));
  EXPECT_TRUE(answers("Equal."));
  Tensor noise = d.trace().tensor(StageId::concat).dense_copy();
  for (std::int64_t k = 0; k < noise.size(); ++k) {
    noise.mutable_data()[k] = static_cast<float>((k * 7919) % 101) / 101.0f;
  }
  choose(written("concat.npy", noise));
  EXPECT_TRUE(answers("No known mistake explains it."));
  EXPECT_EQ(d.session.jobs.comparison()->diagnosis.first_different, StageId::concat);
  EXPECT_EQ(d.session.jobs.comparison()->parts.size(), 2u);
}

TEST_F(Comparison, AnOlderResultIsSaidToBeOlder) {
  choose(written("output.npy", d.trace().tensor(StageId::output)));
  EXPECT_FALSE(d.has("bug_lab/again"));
  d.session.draft.seed = 5;
  d.step(4);
  ASSERT_TRUE(d.has("bug_lab/again"));
  d.click("bug_lab/again");
  d.step(4);
  EXPECT_FALSE(answers("Equal."));
}

TEST_F(Comparison, AFileThatIsNoneIsSaid) {
  const std::string path = folder_ / "broken.npy";
  std::ofstream(path) << "not an array";
  choose(path);
  EXPECT_EQ(d.session.jobs.comparison(), nullptr);
  EXPECT_TRUE(d.session.jobs.current().failed);
  EXPECT_NE(d.session.jobs.current().result.find("broken.npy"), std::string::npos);
}

// Two mistakes in two stages: each stage shows itself, judged from the stages before it.
TEST_F(Comparison, ShowsEveryStageThatWasGiven) {
  const auto wrong = rerun(d.trace(), {"no-scale", "merge-direct"}, make_reference_backend(), {});
  choose(written("raw_scores.npy", wrong->tensor(StageId::raw_scores)));
  EXPECT_TRUE(answers("Equal."));
  for (const StageId stage : {StageId::scores, StageId::weights, StageId::concat}) {
    choose(written(std::string(stage_name(stage)) + ".npy", wrong->tensor(stage)));
  }
  for (const char* stage : {"raw_scores", "scores", "weights", "concat"}) {
    EXPECT_TRUE(d.has(std::string("bug_lab/theirs/") + stage)) << stage;
  }
  EXPECT_TRUE(answers("It is no-scale.")) << "the first stage that is wrong";
  for (const char* part : {"bug_lab/values/0", "bug_lab/values/1", "bug_lab/values/2", "bug_lab/code"}) {
    EXPECT_TRUE(d.has(part)) << part;
  }
  EXPECT_TRUE(d.has("bug_lab/share/no-scale"));
  EXPECT_FALSE(d.names("bug_lab/where/").empty());
  d.click("bug_lab/theirs/weights");
  d.step();
  EXPECT_TRUE(answers("Equal.")) << "given their scores";
  d.key(KeyName::d);
  d.step();
  EXPECT_TRUE(answers("It is merge-direct.")) << "the next stage that differs";
}

TEST_F(Comparison, OpensAtTheCellThatDiffersAndFramesIt) {
  Tensor weights = d.trace().tensor(StageId::weights).dense_copy();
  weights.mutable_data()[(5 * 12 + 7) * 12 + 3] += 0.25f;  // head 5
  choose(written("weights.npy", weights));
  EXPECT_EQ(d.session.view.head, 5);
  const LabMarks& marks = d.state.panels.get<BugLabData>().theirs.marks;
  EXPECT_EQ(marks.wrong.count, 1);
  EXPECT_TRUE(marks.wrong.at(7, 3));
  EXPECT_EQ(marks.level.size(), 2u);
  EXPECT_NEAR(marks.largest, 0.25, 1e-6);
}

TEST_F(Comparison, GivesWayToTheMistakesAndToANewerResult) {
  choose(written("concat.npy", d.trace().tensor(StageId::concat)));
  EXPECT_FALSE(d.has("bug_lab/verdicts"));
  d.click("bug_lab/sides", 0.25f);
  d.step();
  EXPECT_TRUE(d.has("bug_lab/verdicts"));
  d.click("bug_lab/sides", 0.75f);
  d.step();
  EXPECT_FALSE(d.has("bug_lab/verdicts"));
  d.session.draft.seed = 5;
  d.step(4);
  EXPECT_TRUE(d.has("bug_lab/verdicts")) << "nothing older is shown beside the new result";
  EXPECT_FALSE(d.has("bug_lab/sides"));
}

TEST(BugLabSizes, FitsSmallAndLargeWindows) {
  for (const auto& [width, height] : {std::pair{960, 640}, {1280, 800}, {2560, 1440}}) {
    Driver d(causal_document(), width, height);
    d.ctrl(KeyName::b);
    EXPECT_TRUE(d.has("bug_lab/values/0")) << width;
    EXPECT_TRUE(d.has("bug_lab/choose")) << width;
  }
}

// The sentence of every row is as high as the row gives it: none is cut, and none leaves an empty line.
TEST_F(BugLab, TheRowsOfTheListAreAsHighAsTheirWords) {
  for (const auto& [width, scale] : {std::pair{1600, 1.0}, {1280, 1.0}, {1600, 1.3}}) {
    d.resize(width, 1400);
    d.settings.ui_scale = scale;
    d.step(4);
    const auto px = static_cast<float>(scale);
    for (const std::string& name : d.names(kLabList)) {
      const Rect row = d.rect(name);
      if (lab().variants == std::vector<std::string>{name.substr(std::string(kLabList).size())}) continue;  // has code
      float lowest = 0;
      for (const DrawnText& text : d.texts) {
        const bool inside = row.min.y <= text.at.y && text.at.y < row.max.y && text.at.x < row.max.x;
        if (inside) lowest = std::max(lowest, text.at.y);
      }
      const float pitch = 17 * px;
      EXPECT_LE(lowest + pitch, row.max.y + 1) << name << " at " << width << " x " << scale;
      EXPECT_GE(lowest + 2 * pitch, row.max.y - 6 * px) << name << " at " << width << " x " << scale;
    }
  }
}

}  // namespace
}  // namespace headscope::ui
