// A row of weights as sound: one note a key, from low to high, as loud as its weight is large.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

inline constexpr int kSoundRate = 22050;       // samples a second
inline constexpr std::size_t kMostNotes = 48;  // longer rows: a note for some neighbours, as loud as their largest

// Samples of one channel. Note k of n lasts max(0.05, min(0.25, 2.4 / n)) seconds; its frequency is 220 Hz at the first
// key and rises by equal ratios to 880 Hz at the last one, its amplitude 0.8 sqrt(w_k / max w). Weights that are 0,
// negative or no number, and rows that hold nothing else, are silent; +inf counts as the largest. Empty rows give none.
std::vector<std::int16_t> row_sound(std::span<const float> weights);

// The samples as a WAV file: 44 bytes of header (RIFF, PCM, one channel of 16 bits, kSoundRate), then the samples, the
// low byte first.
std::string wav_bytes(std::span<const std::int16_t> samples);

}  // namespace headscope
