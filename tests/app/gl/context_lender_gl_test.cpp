// One thread asks for a context that only the other may make.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "app/gl/context_lender.h"
#include "app/gl/texture_share.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// Runs `serve` until the borrower is done, as a window's loop does.
template <typename Serve>
void serve_until(const std::atomic<bool>& done, const Serve& serve) {
  while (!done) {
    serve();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ContextLenderGlTest, LendsWhatTheOtherThreadMakes) {
  std::atomic<int> woken = 0, currents = 0, releases = 0;
  std::atomic<bool> done = false;
  const ContextLender lender([&] { ++woken; });
  const auto share = std::make_shared<TextureShare>();
  const std::thread::id window = std::this_thread::get_id();
  std::thread::id maker, user;
  bool same_share = false;
  std::thread borrower([&] {
    auto context = lender.borrow();
    same_share = context != nullptr && context->share() == share;
    context.reset();
    done = true;
  });
  serve_until(done, [&] {
    lender.serve([&]() -> LentContext {
      maker = std::this_thread::get_id();
      return {[&] {
                user = std::this_thread::get_id();
                ++currents;
              },
              [&] { ++releases; }, share};
    });
  });
  borrower.join();
  EXPECT_TRUE(same_share);
  EXPECT_EQ(maker, window);
  EXPECT_NE(user, window);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(currents, 1);
  EXPECT_EQ(releases, 1);
}

TEST(ContextLenderGlTest, ARefusalIsNothing) {
  const ContextLender lender([] {});
  int made = 0;
  for (const int how : {0, 1, 2}) {
    std::atomic<bool> done = false;
    bool nothing = false;
    std::thread borrower([&] {
      nothing = lender.borrow() == nullptr;
      done = true;
    });
    serve_until(done, [&] {
      lender.serve([&]() -> LentContext {
        ++made;
        if (how == 0) return {};
        if (how == 1) throw Error("no second context");
        return {[] { throw Error("not on this thread"); }, [] {}, nullptr};
      });
    });
    borrower.join();
    EXPECT_TRUE(nothing) << how;
  }
  EXPECT_EQ(made, 3) << "one answer each";
}

TEST(ContextLenderGlTest, WhoWaitsWhenTheWindowClosesGoesAway) {
  std::atomic<bool> asked = false;
  bool nothing = false;
  {
    const ContextLender lender([&] { asked = true; });
    std::thread borrower([&, copy = lender] { nothing = copy.borrow() == nullptr; });
    while (!asked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lender.close();
    borrower.join();
    EXPECT_TRUE(nothing);
    EXPECT_EQ(lender.borrow(), nullptr) << "nobody answers any more";
  }
}

TEST(ContextLenderGlTest, NothingIsMadeUnasked) {
  const ContextLender lender([] {});
  lender.serve([]() -> LentContext {
    ADD_FAILURE() << "nobody asked";
    return {};
  });
}

}  // namespace
}  // namespace headscope
