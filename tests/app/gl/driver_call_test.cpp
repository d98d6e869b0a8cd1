// A driver that finds no memory: the last words are said, nothing else is done, and the program ends.
#include "app/gl/driver_call.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>

namespace headscope {
namespace {

// What a destructor says that calls a driver whose locks are held.
struct CleansUp {
  ~CleansUp() { std::fputs("waits for ever", stderr); }
};

void throw_bad_alloc() {
  throw std::bad_alloc();
}

void end_after_words() {
  const LastWords words([] { std::fputs("saved", stderr); });
  const CleansUp cleaner;
  in_driver(throw_bad_alloc);
}

void end_after_words_that_fail() {
  const LastWords words(throw_bad_alloc);
  in_driver(throw_bad_alloc);
}

class DriverCallDeathTest : public ::testing::Test {
 protected:
  DriverCallDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST(DriverCall, GivesWhatTheCallGives) {
  EXPECT_EQ(in_driver([] { return 7; }), 7);
}

TEST(DriverCall, LetsOtherExceptionsThrough) {
  EXPECT_THROW(in_driver([] { throw std::runtime_error("refused"); }), std::runtime_error);
}

TEST_F(DriverCallDeathTest, SavesAndCleansNothingUp) {
  EXPECT_EXIT(end_after_words(), ::testing::KilledBySignal(SIGABRT), "^savedterminate");
}

TEST_F(DriverCallDeathTest, EndsWhereTheLastWordsFindNoMemoryEither) {
  EXPECT_EXIT(end_after_words_that_fail(), ::testing::KilledBySignal(SIGABRT), "terminate");
}

TEST_F(DriverCallDeathTest, SaysNoWordsThatAreGone) {
  const auto end = [] {
    {
      const LastWords words([] { std::fputs("saved", stderr); });
    }
    in_driver(throw_bad_alloc);
  };
  EXPECT_EXIT(end(), ::testing::KilledBySignal(SIGABRT), "^terminate");
}

}  // namespace
}  // namespace headscope
