// What the kept timeline holds, and what damage of it costs.
#include "app/session/timeline_file.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "app/session/last_session.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

UndoStep step_of(const std::string& phrase, bool opened = false) {
  Moment moment{request_of(phrase), ViewState(), {"title of " + phrase, "given"}};
  moment.view.head = 3;
  return {std::make_shared<const Moment>(moment), opened};
}

std::vector<UndoStep> steps_of(const std::string& name, int count) {
  std::vector<UndoStep> steps;
  for (int k = 0; k < count; ++k) steps.push_back(step_of(name + std::to_string(k), k % 2 == 0));
  return steps;
}

const Moment kNow{request_of("now \xF0\x9F\x90\x88\n"), ViewState(), {"mine.json", "gave"}};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin = end + 1)) {
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

TEST(TimelineFile, WhatIsWrittenIsRead) {
  const KeptTimeline kept = read_timeline(timeline_text(kNow, {steps_of("before", 3), steps_of("after", 2)}));
  EXPECT_EQ(kept.damaged, 0);
  ASSERT_TRUE(kept.has_now);
  EXPECT_EQ(kept.now.draft, kNow.draft);
  EXPECT_EQ(kept.now.document, kNow.document);
  ASSERT_EQ(kept.timeline.before.size(), 3u);
  ASSERT_EQ(kept.timeline.after.size(), 2u);
  EXPECT_EQ(kept.timeline.before[2].moment->draft.phrase, "before2");
  EXPECT_EQ(kept.timeline.before[2].moment->document, (DocumentIdentity{"title of before2", "given"}));
  EXPECT_EQ(kept.timeline.before[2].moment->view.head, 3);
  EXPECT_TRUE(kept.timeline.before[2].opened);
  EXPECT_FALSE(kept.timeline.before[1].opened);
  EXPECT_EQ(kept.timeline.after[1].moment->draft.phrase, "after1");
}

TEST(TimelineFile, ANumberThatIsBeingTypedCostsNothingElse) {
  for (const std::int64_t typed : {std::int64_t{0}, std::int64_t{-1}}) {
    Moment now = kNow;
    now.draft.d_model = typed;
    now.draft.heads = typed;
    now.draft.kv_heads = typed;
    now.draft.batch = typed;
    now.draft.layer = -1;
    const KeptTimeline kept = read_timeline(timeline_text(now, {steps_of("before", 1), {}}));
    EXPECT_EQ(kept.damaged, 0) << typed;
    ASSERT_TRUE(kept.has_now) << typed;
    EXPECT_EQ(kept.now.draft.phrase, kNow.draft.phrase);
    EXPECT_EQ(kept.now.draft.d_model, std::nullopt) << "it could not be";
  }
}

TEST(TimelineFile, HoldsTheNearestFiftySteps) {
  const KeptTimeline kept = read_timeline(timeline_text(kNow, {steps_of("before", 80), {}}));
  ASSERT_EQ(kept.timeline.before.size(), 50u);
  EXPECT_EQ(kept.timeline.before.front().moment->draft.phrase, "before30");
  EXPECT_EQ(kept.timeline.before.back().moment->draft.phrase, "before79");
}

TEST(TimelineFile, LongTextsCostTheFarthestStepsAndNoMoreThanFourMebibytes) {
  std::vector<UndoStep> long_ones;
  for (int k = 0; k < 5; ++k) long_ones.push_back(step_of(std::string(600'000, 'a') + std::to_string(k)));
  const std::string text = timeline_text(kNow, {long_ones, {}});
  EXPECT_LE(text.size(), kMostTimelineBytes);
  const KeptTimeline kept = read_timeline(text);
  ASSERT_EQ(kept.timeline.before.size(), 3u) << "phrase and title are long";
  EXPECT_EQ(kept.timeline.before.back().moment->draft.phrase.back(), '4');
  EXPECT_EQ(timeline_text({request_of(std::string(kMostTimelineBytes, 'a')), ViewState(), {}}, {}), "");
}

TEST(TimelineFile, DamageCostsTheLinesThatItHits) {
  const std::vector<std::string> lines = lines_of(timeline_text(kNow, {steps_of("before", 4), {}}));
  ASSERT_EQ(lines.size(), 5u);
  const std::string deep(100'000, '[');
  for (const std::string& damage :
       {std::string("{"), std::string("\xff\xfe"), std::string("[]"), deep, "{\"place\": " + deep,
        std::string(R"({"place": "elsewhere"})"), std::string(R"({"place": "before", "session": 3})"),
        std::string(R"({"place": "before", "session": "{}", "view": "{\"layers\": [[["})"),
        lines[2].substr(0, lines[2].size() / 2)}) {
    const std::string text = lines[0] + "\n" + lines[1] + "\n" + damage + "\n" + lines[3] + "\n" + lines[4];
    const KeptTimeline kept = read_timeline(text);
    EXPECT_EQ(kept.damaged, 1) << damage.substr(0, 60);
    ASSERT_EQ(kept.timeline.before.size(), 3u) << damage.substr(0, 60);
    EXPECT_EQ(kept.timeline.before[2].moment->draft.phrase, "before3");
    EXPECT_EQ(kept.timeline.before[1].moment->draft.phrase, "before1");
  }
}

class KeptTimelineOfASession : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  Environment state_{"XDG_STATE_HOME", folder_.path().c_str()};
};

TEST_F(KeptTimelineOfASession, HostileFilesNeverStopTheSessionFromOpening) {
  for (const std::string& hostile : {std::string("\0\0\0", 3), std::string(9 << 20, '{'), std::string(100, '\n'),
                                     std::string(100'000, '['), std::string("null")}) {
    ASSERT_EQ(save_last_session({request_of("kept"), {}}), "");
    folder_.write("headscope/last-timeline.jsonl", hostile);
    LastSession last;
    std::string notice;
    ASSERT_TRUE(load_last_session(last, notice));
    EXPECT_EQ(last.request.phrase, "kept");
    EXPECT_TRUE(last.timeline.before.empty());
    EXPECT_NE(notice, "");
  }
}

TEST_F(KeptTimelineOfASession, ASessionThatAnotherProgramChangedSinceIsAStepFurther) {
  LastSession saved{request_of("ours"), {}, {"ours.json", ""}, {steps_of("before", 1), steps_of("after", 1)}};
  ASSERT_EQ(save_last_session(saved), "");
  folder_.write("headscope/last-session.json", "{\"phrase\": \"theirs\"}");
  LastSession last;
  std::string notice;
  ASSERT_TRUE(load_last_session(last, notice));
  EXPECT_EQ(last.request.phrase, "theirs");
  ASSERT_EQ(last.timeline.before.size(), 2u);
  EXPECT_EQ(last.timeline.before.back().moment->draft.phrase, "ours");
  EXPECT_TRUE(last.timeline.after.empty());
}

}  // namespace
}  // namespace headscope
