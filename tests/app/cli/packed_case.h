// Two packed texts and the attention that plain loops give them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/app/cli/command.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {

constexpr std::int64_t kHeads = 2, kSize = 4;
inline const std::vector<std::int64_t> kLengths = {3, 5};
constexpr std::int64_t kTokens = 8, kLongest = 5;
inline const std::string kLengthsWords = "3,5";

// Whether query i sees key j, which are of one text or not.
using Sees = bool (*)(bool one_text, std::int64_t i, std::int64_t j);

inline bool same_text(bool one_text, std::int64_t, std::int64_t) {
  return one_text;
}
inline bool causal_text(bool one_text, std::int64_t i, std::int64_t j) {
  return one_text && j <= i;
}
inline bool only_causal(bool, std::int64_t i, std::int64_t j) {
  return j <= i;
}
inline bool anything(bool, std::int64_t, std::int64_t) {
  return true;
}

class ArrayLayouts : public CommandTest {
 protected:
  // [tokens, heads, size], as packed programs have them.
  const std::vector<float> query_ = random_values(kTokens * kHeads * kSize, 1);
  const std::vector<float> key_ = random_values(kTokens * kHeads * kSize, 2);
  const std::vector<float> value_ = random_values(kTokens * kHeads * kSize, 3);

  static float at(const std::vector<float>& packed, std::int64_t t, std::int64_t h, std::int64_t d) {
    return packed[static_cast<std::size_t>((t * kHeads + h) * kSize + d)];
  }
  static int text_of(std::int64_t token) { return token < kLengths[0] ? 0 : 1; }

  // [tokens, heads, size] by plain loops in double.
  std::vector<float> context(Sees sees, double scale = 0.5) const {
    std::vector<float> result;
    for (std::int64_t i = 0; i < kTokens; ++i) {
      for (std::int64_t h = 0; h < kHeads; ++h) {
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t j = 0; j < kTokens; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < kSize; ++d) {
            score += static_cast<double>(at(query_, i, h, d)) * static_cast<double>(at(key_, j, h, d));
          }
          weights.push_back(sees(text_of(i) == text_of(j), i, j) ? std::exp(score * scale) : 0);
          sum += weights.back();
        }
        for (std::int64_t d = 0; d < kSize; ++d) {
          double value = 0;
          for (std::int64_t j = 0; j < kTokens; ++j) {
            value += weights[static_cast<std::size_t>(j)] / sum * static_cast<double>(at(value_, j, h, d));
          }
          result.push_back(static_cast<float>(value));
        }
      }
    }
    return result;
  }
  // [2, longest, heads, size], `fill` behind each text.
  static std::vector<float> padded(const std::vector<float>& packed, float fill) {
    std::vector<float> result;
    std::int64_t begin = 0;
    for (const std::int64_t length : kLengths) {
      for (std::int64_t i = 0; i < kLongest; ++i) {
        for (std::int64_t k = 0; k < kHeads * kSize; ++k) {
          result.push_back(i < length ? packed[static_cast<std::size_t>((begin + i) * kHeads * kSize + k)] : fill);
        }
      }
      begin += length;
    }
    return result;
  }
  std::vector<std::string> packed_files(std::vector<std::string> words, const std::vector<std::string>& more) const {
    const Shape shape{kTokens, kHeads, kSize};
    words.insert(words.end(), {"--query", write_array("q", shape, query_), "--key", write_array("k", shape, key_),
                               "--value", write_array("v", shape, value_), "--lengths", kLengthsWords});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  nlohmann::json diagnosed(const std::vector<std::string>& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    said_ = result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  std::string said_;
};

inline void expect_near(const Tensor& found, const std::vector<float>& expected) {
  const std::vector<float> values = found.values();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], expected[k], 1e-6) << k;
}

}  // namespace headscope
