// The same request on both backends, timed and held against each other.
#include "app/session/background/compare_backends.h"

#include <gtest/gtest.h>

#include "app/session/session.h"

namespace headscope {
namespace {

Request small_request() {
  Request request;
  request.phrase = "one two three";
  request.d_model = 32;
  request.heads = 4;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return request;
}

// The reference plays the GPU.
std::shared_ptr<const Backend> made(const BackendQuery& query) {
  return query.choice == BackendChoice::gpu ? make_reference_backend() : make_backend(query);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CompareBackends, SaysBothTimesAndHowFarTheyDiffer) {
  std::vector<double> shares;
  const std::string text =
      compare_backends(small_request(), made, CancelToken(), [&](double share) { shares.push_back(share); });
  EXPECT_EQ(text.find("CPU, "), 0U) << text;
  for (const char* part : {" ms. reference, 1 thread, double sums: ", "Largest difference ", " of 1 (weights), ",
                           "(context), ", "(output)."}) {
    EXPECT_TRUE(contains(text, part)) << text;
  }
  EXPECT_FALSE(contains(text, "nan")) << text;
  EXPECT_FALSE(contains(text, "NaN")) << text;
  EXPECT_FALSE(shares.empty());
}

TEST(CompareBackends, NanInTheSamePlacesIsNoDifference) {
  Request request = small_request();
  request.mask = {{MaskTerm::Kind::padding, 3, ""}};
  const std::string text = compare_backends(request, made, CancelToken(), [](double) {});
  EXPECT_FALSE(contains(text, "NaN in other places")) << text;
}

TEST(CompareBackends, AnAbsentGpuIsSaidWithTheReason) {
  const std::string text = compare_backends(
      small_request(), [](const BackendQuery& query) { return make_backend(query); }, CancelToken(), [](double) {});
  EXPECT_TRUE(contains(text, " ms. No GPU: This build has no GPU backend.")) << text;
}

TEST(CompareBackends, ACancelledOneStops) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(compare_backends(small_request(), made, cancel, [](double) {}), Cancelled);
}

TEST(CompareBackends, IsAJobOfTheSession) {
  SessionOptions options;
  options.engine.make_backend = made;
  Session session(
      make_inline_executor(), [] {}, std::move(options));
  EXPECT_FALSE(session.jobs.compare_backends(session.trace())) << "there is nothing on screen yet";
  session.draft = small_request();
  session.update(std::chrono::steady_clock::now());
  ASSERT_NE(session.trace(), nullptr);
  EXPECT_TRUE(session.jobs.compare_backends(session.trace()));
  EXPECT_EQ(session.jobs.current().title, "Compare backends");
  EXPECT_FALSE(session.jobs.current().failed);
  EXPECT_TRUE(contains(session.jobs.current().result, "Largest difference")) << session.jobs.current().result;
}

}  // namespace
}  // namespace headscope
