// The results of a followed file: which are kept, which one is shown.
#include "app/session/updates.h"

#include <gtest/gtest.h>

#include <string>

#include "core/attention/engine.h"
#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

// A trace of one stage of `bytes` bytes.
std::shared_ptr<const Trace> trace_of_bytes(std::int64_t bytes) {
  auto trace = std::make_shared<Trace>();
  trace->stages.emplace_back(Stage{StageId::output, Tensor::zeros(Shape({bytes / 4}), {Axis::feature}), "", false, 0});
  return trace;
}

std::vector<std::int64_t> numbers(const Updates& updates) {
  std::vector<std::int64_t> numbers;
  for (const FileUpdate& update : updates.kept()) numbers.push_back(update.number);
  return numbers;
}

TEST(Updates, TheNewestIsFollowedUntilAnotherIsShown) {
  Updates updates;
  EXPECT_EQ(updates.past(), nullptr);
  updates.show(0);
  EXPECT_EQ(updates.shown(), 0u);
  for (int k = 0; k < 3; ++k) updates.keep(trace_of_bytes(400));
  EXPECT_EQ(updates.past(), nullptr);
  EXPECT_EQ(updates.shown(), 2u);
  updates.show(1);
  ASSERT_NE(updates.past(), nullptr);
  EXPECT_EQ(updates.past()->number, 2);
  updates.keep(trace_of_bytes(400));
  EXPECT_EQ(updates.past()->number, 2) << "what comes meanwhile leaves it";
  updates.show(3);
  EXPECT_EQ(updates.past(), nullptr);
  updates.show(0);
  updates.follow();
  EXPECT_EQ(updates.past(), nullptr);
  updates.show(99);
  EXPECT_EQ(updates.past(), nullptr);
  updates.clear();
  EXPECT_EQ(updates.count(), 0);
  EXPECT_EQ(updates.bytes(), 0u);
}

TEST(Updates, WhatIsLeftOutLeavesTheRestSpreadOverTheWholeTime) {
  Updates updates(4000);
  for (int k = 0; k < 1000; ++k) updates.keep(trace_of_bytes(400));
  EXPECT_EQ(updates.count(), 1000);
  EXPECT_LE(updates.bytes(), 4000u);
  const std::vector<std::int64_t> kept = numbers(updates);
  ASSERT_EQ(kept.size(), 10u);
  EXPECT_EQ(kept.front(), 1);
  EXPECT_EQ(kept.back(), 1000);
  for (std::size_t k = 1; k < kept.size(); ++k) EXPECT_LT(kept[k] - kept[k - 1], 400) << k;
}

TEST(Updates, WhatIsShownStays) {
  Updates updates(2000);
  for (int k = 0; k < 4; ++k) updates.keep(trace_of_bytes(400));
  updates.show(1);
  for (int k = 0; k < 50; ++k) {
    updates.keep(trace_of_bytes(400));
    ASSERT_NE(updates.past(), nullptr);
    ASSERT_EQ(updates.past()->number, 2);
  }
  EXPECT_LE(updates.bytes(), 2000u);
  Updates small(100);
  for (int k = 0; k < 5; ++k) small.keep(trace_of_bytes(4000));
  EXPECT_EQ(numbers(small), (std::vector<std::int64_t>{1, 5})) << "first and newest, however large they are";
}

TEST(Updates, BytesAreThoseOfTensorsAndEachCountsOnce) {
  EXPECT_EQ(stored_bytes(*trace_of_bytes(4096)), 4096u);
  Request request = request_of("a b c d");
  request.heads = 2;
  request.d_model = 8;
  Engine engine;
  const auto trace = engine.run(request, CancelToken{});
  std::size_t all = 0;
  for (const Stage& stage : trace->stages) all += static_cast<std::size_t>(stage.tensor.size()) * sizeof(float);
  EXPECT_GT(stored_bytes(*trace), static_cast<std::size_t>(trace->tensor(StageId::weights).size()) * sizeof(float));
  EXPECT_LE(stored_bytes(*trace), all + 4 * 8 * sizeof(float)) << "the stages, and the input where it is no stage";
}

// ---- in a session
void show_first(ManualSession& manual) {
  manual.type("a b", 0);
  manual.executor->step();
  manual.session->update(at(1));
}

void take(ManualSession& manual, int ms) {
  manual.session->take_update();
  manual.session->update(at(ms));
  manual.executor->step();
  manual.session->update(at(ms + 1));
}

TEST(SessionUpdates, TheFirstIsWhatWasShownAndEachUpdateIsAnother) {
  ManualSession manual;
  Session& session = *manual.session;
  show_first(manual);
  const auto first = session.trace();
  EXPECT_TRUE(session.updates.kept().empty());
  take(manual, 10);
  take(manual, 20);
  ASSERT_EQ(session.updates.kept().size(), 3u);
  EXPECT_EQ(session.updates.kept().front().trace, first);
  EXPECT_EQ(session.trace(), session.updates.kept().back().trace);
}

TEST(SessionUpdates, APastOneIsShownUntilTheDraftIsEdited) {
  ManualSession manual;
  Session& session = *manual.session;
  show_first(manual);
  take(manual, 10);
  session.updates.show(0);
  EXPECT_EQ(session.trace(), session.updates.kept().front().trace);
  EXPECT_FALSE(session.stale());
  take(manual, 20);
  EXPECT_EQ(session.trace(), session.updates.kept().front().trace) << "an update that comes meanwhile leaves it";
  EXPECT_EQ(session.updates.kept().size(), 3u);
  session.pin();
  EXPECT_EQ(session.pinned(), session.updates.kept().front().trace) << "what is seen is pinned";
  manual.type("a b c", 30);
  manual.executor->step();
  session.update(at(31));
  EXPECT_EQ(manual.shown(), "a b c");
  EXPECT_EQ(session.updates.kept().size(), 3u) << "an edit is no update";
}

TEST(SessionUpdates, ComputingAgainIsNoUpdateAndAnotherDocumentHasNone) {
  ManualSession manual;
  Session& session = *manual.session;
  show_first(manual);
  session.recompute();
  session.update(at(2));
  manual.executor->step();
  session.update(at(3));
  EXPECT_TRUE(session.updates.kept().empty());
  take(manual, 10);
  EXPECT_EQ(session.updates.kept().size(), 2u);
  session.open(request_of("x"), ViewState(), {"another", ""});
  EXPECT_TRUE(session.updates.kept().empty());
}

// They may read the file.
TEST(SessionUpdates, ResultsBeforeAFileWasWrittenOverAreForgotten) {
  ManualSession manual;
  Session& session = *manual.session;
  show_first(manual);
  take(manual, 10);
  session.updates.show(0);
  session.take_update(false);
  session.update(at(20));
  manual.executor->step();
  session.update(at(21));
  ASSERT_EQ(session.updates.kept().size(), 1u);
  EXPECT_EQ(session.updates.past(), nullptr);
  EXPECT_EQ(session.updates.kept().front().trace, session.trace());
}

TEST(SessionUpdates, WhatCannotBeReadIsNoUpdate) {
  ManualSession manual;
  Session& session = *manual.session;
  show_first(manual);
  manual.during = [&](const CancelToken&) { throw Error("half a file"); };
  take(manual, 10);
  EXPECT_EQ(session.failure(), "half a file");
  EXPECT_EQ(session.updates.kept().size(), 1u);
  manual.during = nullptr;
  take(manual, 20);
  EXPECT_EQ(session.updates.kept().size(), 2u);
}

}  // namespace
}  // namespace headscope
