// A row of weights as sound: how long, how high and how loud.
#include "core/heads/row_sound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace headscope {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// The largest sample of a note.
int peak(const std::vector<std::int16_t>& samples, std::size_t note, std::size_t notes) {
  const std::size_t length = samples.size() / notes;
  int most = 0;
  for (std::size_t k = note * length; k < (note + 1) * length; ++k) most = std::max(most, std::abs(int{samples[k]}));
  return most;
}

// How often a note crosses zero upwards, a second.
double frequency(const std::vector<std::int16_t>& samples, std::size_t note, std::size_t notes) {
  const std::size_t length = samples.size() / notes;
  int crossings = 0;
  for (std::size_t k = note * length + 1; k < (note + 1) * length; ++k) {
    crossings += samples[k - 1] < 0 && samples[k] >= 0 ? 1 : 0;
  }
  return crossings * static_cast<double>(kSoundRate) / static_cast<double>(length);
}

TEST(RowSound, NotesRiseAndAreAsLoudAsTheirWeights) {
  const std::vector<float> row = {0.5f, 0.125f, 0, 0.375f};
  const auto samples = row_sound(row);
  ASSERT_EQ(samples.size(), 4u * static_cast<std::size_t>(0.25 * kSoundRate));
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double expected = 0.8 * 32767 * std::sqrt(static_cast<double>(row[k]) / 0.5);
    EXPECT_NEAR(peak(samples, k, 4), expected, 40) << k;
  }
  EXPECT_NEAR(frequency(samples, 0, 4), 220, 6);
  EXPECT_NEAR(frequency(samples, 1, 4), 220 * std::exp2(2.0 / 3), 6);
  EXPECT_NEAR(frequency(samples, 3, 4), 880, 6);
}

TEST(RowSound, ALongRowIsNoLongerThanItsLargestNotes) {
  std::vector<float> row(5000, 0.0f);
  row[4999] = 1;
  const auto samples = row_sound(row);
  EXPECT_LE(samples.size(), static_cast<std::size_t>(2.5 * kSoundRate));
  EXPECT_GT(peak(samples, kMostNotes - 1, kMostNotes), 25000) << "a single key of many is heard";
  EXPECT_EQ(peak(samples, 0, kMostNotes), 0);
}

TEST(RowSound, WhatIsNoNumberIsSilent) {
  EXPECT_TRUE(row_sound({}).empty());
  const auto silent = row_sound(std::vector<float>{std::nanf(""), 0, -1});
  EXPECT_EQ(peak(silent, 0, 1), 0);
  const auto largest = row_sound(std::vector<float>{kInf, 1});
  EXPECT_GT(peak(largest, 0, 2), 25000);
  EXPECT_LT(peak(largest, 1, 2), 10);
}

TEST(RowSound, TheWavFileSaysWhatItHolds) {
  const std::vector<std::int16_t> samples = {1, -2, 0x1234};
  const std::string bytes = wav_bytes(samples);
  ASSERT_EQ(bytes.size(), 44u + 6u);
  EXPECT_EQ(bytes.substr(0, 4) + bytes.substr(8, 8), "RIFFWAVEfmt ");
  EXPECT_EQ(bytes[4], 42) << "the bytes that follow";
  EXPECT_EQ(bytes[40], 6);
  EXPECT_EQ(bytes.substr(44), std::string("\x01\x00\xfe\xff\x34\x12", 6));
}

}  // namespace
}  // namespace headscope
