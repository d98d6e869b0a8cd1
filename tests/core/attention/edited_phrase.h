// A phrase, some words of it replaced: the preview that the engine gives, and how it is compared with the exact trace.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/engine.h"

namespace headscope {

using Words = std::vector<std::string>;

inline std::string joined(const Words& words) {
  std::string phrase;
  for (const std::string& word : words) phrase += (phrase.empty() ? "" : " ") + word;
  return phrase;
}

// `count` words; of more than 101 some come twice.
inline Words numbered(int count) {
  Words words;
  for (int i = 0; i < count; ++i) words.push_back("w" + std::to_string(i * 7 % 101));
  return words;
}

// A seeded layer on the processor.
inline Request layer(int d_model, int heads) {
  Request request;
  request.d_model = d_model;
  request.heads = heads;
  request.backend = BackendChoice::cpu;
  request.threads = 2;
  return request;
}

// The two traces of one edit; preview is null where none was made.
struct Pair {
  std::shared_ptr<const Trace> preview, exact;
};

// What the engine says early, and at the end, of `words` after it has computed `before`.
inline Pair edited(Request request, const Words& before, const Words& words) {
  EngineOptions options;
  options.reuse = true;
  options.preview_products = 0;
  Engine engine(options);
  request.phrase = joined(before);
  engine.run(request, {}, [](const auto&) { ADD_FAILURE() << "there is nothing that a first trace could begin from"; });
  request.phrase = joined(words);
  Pair pair;
  pair.exact = engine.run(request, {}, [&](std::shared_ptr<const Trace> trace) {
    EXPECT_EQ(pair.preview, nullptr);
    pair.preview = std::move(trace);
  });
  return pair;
}

// The words after each of `changes`: the word of that place is replaced.
inline Words with(Words words, std::vector<std::pair<int, std::string>> changes) {
  for (auto& [i, word] : changes) words[static_cast<std::size_t>(i)] = word;
  return words;
}

// Every row of the stage within 1e-5 of the largest number of the exact row; NaN and infinities in the same places.
inline void expect_near(const Trace& preview, const Trace& exact, StageId stage) {
  const std::vector<float> a = preview.tensor(stage).values(), b = exact.tensor(stage).values();
  ASSERT_EQ(a.size(), b.size());
  const auto columns = static_cast<std::size_t>(exact.tensor(stage).dim(exact.tensor(stage).rank() - 1));
  int wrong = 0;
  for (std::size_t row = 0; row < b.size(); row += columns) {
    double largest = 0;
    for (std::size_t j = row; j < row + columns; ++j) {
      if (std::isfinite(b[j])) largest = std::max(largest, std::fabs(static_cast<double>(b[j])));
    }
    for (std::size_t j = row; j < row + columns; ++j) {
      const bool same = std::isnan(b[j])   ? std::isnan(a[j])
                        : std::isinf(b[j]) ? a[j] == b[j]
                                           : std::fabs(static_cast<double>(a[j]) - b[j]) <= 1e-5 * largest;
      if (!same && ++wrong < 4) {
        ADD_FAILURE() << stage_name(stage) << " row " << row / columns << " column " << j - row << ": " << a[j]
                      << " for " << b[j] << ", largest " << largest;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

// Stages up to the masked scores are exact, the others near, and what a trace says of itself is the exact one's.
inline void expect_preview(const Pair& pair) {
  ASSERT_NE(pair.preview, nullptr);
  const Trace &preview = *pair.preview, &exact = *pair.exact;
  EXPECT_TRUE(preview.preview);
  EXPECT_FALSE(exact.preview);
  EXPECT_EQ(preview.request, exact.request);
  EXPECT_EQ(preview.inputs->tokens, exact.inputs->tokens);
  EXPECT_EQ(preview.fully_masked_rows, exact.fully_masked_rows);
  ASSERT_EQ(preview.stages.size(), exact.stages.size());
  for (std::size_t s = 0; s < exact.stages.size(); ++s) {
    EXPECT_EQ(preview.stages[s].id, exact.stages[s].id);
    EXPECT_EQ(preview.stages[s].operation, exact.stages[s].operation);
    EXPECT_EQ(preview.stages[s].equals_previous, exact.stages[s].equals_previous);
    ASSERT_EQ(preview.stages[s].tensor.shape(), exact.stages[s].tensor.shape());
    if (exact.stages[s].id <= StageId::masked_scores) {
      const std::vector<float> a = preview.stages[s].tensor.values(), b = exact.stages[s].tensor.values();
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0)
          << stage_name(exact.stages[s].id) << " is exact";
    } else {
      expect_near(preview, exact, exact.stages[s].id);
    }
  }
  const std::vector<float> max = preview.row_statistics.max.values(), sum = preview.row_statistics.sum.values();
  const std::vector<float> max_exact = exact.row_statistics.max.values(), sum_exact = exact.row_statistics.sum.values();
  for (std::size_t row = 0; row < max.size(); ++row) {
    if (std::isinf(max_exact[row])) continue;  // sees nothing
    EXPECT_GE(max[row], max_exact[row] - 1e-5 * (1 + std::fabs(max_exact[row])));
    EXPECT_NEAR(std::log(sum[row]) + max[row], std::log(sum_exact[row]) + max_exact[row],
                1e-5 * (1 + std::fabs(max_exact[row])));
  }
}

// A way to set up a request, with its name.
struct Case {
  const char* name;
  std::function<void(Request&)> set;
};

inline std::vector<MaskTerm> terms(std::initializer_list<MaskTerm> list) {
  return list;
}

}  // namespace headscope
