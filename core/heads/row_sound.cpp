#include "core/heads/row_sound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {
namespace {

constexpr double kLowest = 220, kOctaves = 2, kLoudest = 0.8, kShortest = 0.05, kLongest = 0.25, kAll = 2.4;
constexpr double kEdge = 0.008;  // seconds in which a note comes and goes

// The largest weight of each note, as a share of the largest of all.
std::vector<double> loudness_of(std::span<const float> weights) {
  const std::size_t notes = std::min(weights.size(), kMostNotes);
  std::vector<double> loudest(notes, 0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double weight = std::isnan(weights[k]) ? 0 : std::min(static_cast<double>(weights[k]), 1e30);
    double& note = loudest[k * notes / weights.size()];
    note = std::max(note, weight);
  }
  const double most = notes == 0 ? 0 : *std::max_element(loudest.begin(), loudest.end());
  for (double& note : loudest) note = most > 0 ? note / most : 0;
  return loudest;
}

void append_number(std::string& bytes, std::uint32_t number, int count) {
  for (int k = 0; k < count; ++k) bytes.push_back(static_cast<char>((number >> (8 * k)) & 0xff));
}

}  // namespace

std::vector<std::int16_t> row_sound(std::span<const float> weights) {
  const std::vector<double> loudness = loudness_of(weights);
  std::vector<std::int16_t> samples;
  if (loudness.empty()) return samples;
  const auto notes = static_cast<double>(loudness.size());
  const double seconds = std::max(kShortest, std::min(kLongest, kAll / notes));
  const auto length = static_cast<std::size_t>(seconds * kSoundRate);
  samples.reserve(length * loudness.size());
  for (std::size_t note = 0; note < loudness.size(); ++note) {
    const double place = notes > 1 ? static_cast<double>(note) / (notes - 1) : 0;
    const double frequency = kLowest * std::exp2(kOctaves * place), loudest = kLoudest * std::sqrt(loudness[note]);
    for (std::size_t k = 0; k < length; ++k) {
      const double time = static_cast<double>(k) / kSoundRate;
      const double from_edge = std::min({1.0, time / kEdge, (seconds - time) / kEdge});
      const double value = loudest * from_edge * std::sin(2 * std::numbers::pi * frequency * time);
      samples.push_back(static_cast<std::int16_t>(std::lround(value * 32767)));
    }
  }
  return samples;
}

std::string wav_bytes(std::span<const std::int16_t> samples) {
  const auto data = static_cast<std::uint32_t>(samples.size() * 2);
  std::string bytes = "RIFF";
  append_number(bytes, 36 + data, 4);
  bytes += "WAVEfmt ";
  append_number(bytes, 16, 4);
  append_number(bytes, 1, 2);  // PCM
  append_number(bytes, 1, 2);  // channels
  append_number(bytes, kSoundRate, 4);
  append_number(bytes, kSoundRate * 2, 4);  // bytes a second
  append_number(bytes, 2, 2);               // bytes a sample
  append_number(bytes, 16, 2);              // bits
  bytes += "data";
  append_number(bytes, data, 4);
  for (const std::int16_t sample : samples) append_number(bytes, static_cast<std::uint16_t>(sample), 2);
  return bytes;
}

}  // namespace headscope
