// The session on the real engine: what a user sees from one keystroke to the next.
#include <atomic>
#include <thread>

#include "app/session/documents.h"
#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/attention/trace.h"
#include "core/io/npy.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

Request engine_small_request() {
  Request request = request_of("a b c");
  request.d_model = 16;
  request.heads = 4;
  return request;
}

TEST(Engine, AKeystrokeChangesTheTensors) {
  Session session(make_inline_executor(), {});
  session.open(engine_small_request(), ViewState());
  session.update(at(0));
  ASSERT_NE(session.trace(), nullptr) << session.failure();
  EXPECT_EQ(session.trace()->query_len(), 3);
  session.draft.phrase = "a b c d";
  session.update(at(10));
  EXPECT_EQ(session.trace()->query_len(), 4);
  EXPECT_EQ(session.trace()->request, session.draft);
}

TEST(Engine, SevenHeadsAreAProblemAndUndoBringsThePictureBack) {
  Session session(make_inline_executor(), {});
  session.open(engine_small_request(), ViewState());
  session.update(at(0));
  const auto good = session.trace();
  session.draft.heads = 7;
  session.update(at(10));
  ASSERT_TRUE(session.problem().has_value());
  EXPECT_FALSE(session.problem()->suggestions.empty());
  EXPECT_EQ(session.trace(), good);
  session.undo();
  session.update(at(20));
  EXPECT_FALSE(session.problem().has_value());
  EXPECT_EQ(session.trace(), good);
}

void write_ones(const std::string& path, std::int64_t seq_len) {
  std::ofstream out(path, std::ios::binary);
  write_npy(out, Tensor::of({seq_len, 16}, {Axis::position, Axis::feature},
                            std::vector<float>(static_cast<std::size_t>(seq_len * 16), 1.0f)));
}

TEST(Engine, AMissingFileIsAFailureUntilItIsThereAndReadAgain) {
  const TemporaryFolder folder;
  Session session(make_inline_executor(), {});
  Request request = engine_small_request();
  request.phrase.clear();
  request.input = folder / "x.npy";
  session.open(request, ViewState());
  session.update(at(0));
  EXPECT_NE(session.failure().find("x.npy"), std::string::npos) << session.failure();
  EXPECT_FALSE(session.problem().has_value());
  write_ones(folder / "x.npy", 3);
  session.recompute();
  session.update(at(10));
  EXPECT_EQ(session.failure(), "");
  ASSERT_NE(session.trace(), nullptr);
  EXPECT_EQ(session.trace()->query_len(), 3);
  std::filesystem::remove(folder / "x.npy");
  write_ones(folder / "x.npy", 5);
  session.recompute();
  session.update(at(20));
  EXPECT_EQ(session.trace()->query_len(), 5);
  EXPECT_FALSE(session.stale());
}

// The weights of all layers that the window shows, beside those of an engine that computes the request alone.
void expect_as_a_new_run(const Session& session) {
  ASSERT_NE(session.trace(), nullptr) << session.failure();
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  const auto wanted = engine.run(session.draft, CancelToken());
  for (std::size_t layer = 0; layer < wanted->model->layers.size(); ++layer) {
    EXPECT_EQ(session.trace()->model->layers[layer]->tensor(StageId::weights).values(),
              wanted->model->layers[layer]->tensor(StageId::weights).values())
        << session.draft.phrase << ", layer " << layer;
  }
}

TEST(Engine, WordsTypedUnderAVariantHaveTheWeightsOfANewRun) {
  Session session(make_inline_executor(), {});
  Request request = request_of("cat box ink");
  request.model = "demo:induction";
  request.variants = {Variant::softmax_over_queries};
  session.open(request, ViewState());
  session.update(at(0));
  int now = 0;
  for (const char* phrase : {"cat box ink cat", "cat box ink cat box", "cat box ink cat fox", "cat box"}) {
    session.draft.phrase = phrase;
    session.update(at(now += 10));
    expect_as_a_new_run(session);
  }
  session.draft.variants = {Variant::key_not_transposed};
  for (const char* last : {"box", "jam"}) {  // as many words as a head has features
    session.draft.phrase = std::string("cat box ink fox jam cat fox ") + last;
    session.update(at(now += 10));
    expect_as_a_new_run(session);
  }
}

TEST(Engine, TooManyTokensAreAProblemOfThePhraseNotAnEnd) {
  Session session(make_inline_executor(), {});
  session.open(engine_small_request(), ViewState());
  session.update(at(0));
  std::string words;
  for (int k = 0; k < 60000; ++k) words += "w ";
  session.draft.phrase = words;
  session.draft.variants = {Variant::softmax_over_queries};  // keeps every stage
  session.update(at(10));
  EXPECT_TRUE(session.problem().has_value() || !session.failure().empty());
  EXPECT_EQ(session.trace()->query_len(), 3);
}

TEST(Engine, StagesAboveTheLimitAreComputedWhenRead) {
  Session session(make_inline_executor(), {});
  session.open(engine_small_request(), ViewState());
  session.update(at(0));
  ASSERT_EQ(session.trace()->on_demand, nullptr);
  const std::vector<float> kept = session.trace()->tensor(StageId::output).values();
  session.set_stage_memory(0);
  session.recompute();
  session.update(at(10));
  EXPECT_NE(session.trace()->on_demand, nullptr);
  EXPECT_EQ(session.trace()->tensor(StageId::output).values(), kept);
}

TEST(Engine, TypingOnTheThreadEndsWithTheLastDraft) {
  std::atomic<int> wakes{0};
  Session session(make_thread_executor(), [&] { ++wakes; });
  session.open(engine_small_request(), ViewState());
  std::string phrase;
  for (int k = 0; k < 60; ++k) {
    phrase += k % 4 == 3 ? " " : "x";
    session.draft.phrase = phrase;
    session.draft.heads = k % 2 == 0 ? 4 : 8;
    session.update(std::chrono::steady_clock::now());
    if (const auto trace = session.trace()) {
      // Readable while the worker computes the next one.
      EXPECT_EQ(trace->tensor(StageId::weights).dim(3), trace->key_len());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (session.computing() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    session.update(std::chrono::steady_clock::now());
  }
  session.update(std::chrono::steady_clock::now());
  ASSERT_NE(session.trace(), nullptr);
  EXPECT_EQ(session.trace()->request, session.draft);
  EXPECT_GT(wakes, 0);
}

}  // namespace
}  // namespace headscope
