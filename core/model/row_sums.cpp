// Whether the rows of captured weights add up to 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/capture.h"

namespace headscope {

RowSums row_sums_of(const Tensor& weights, const CancelToken& cancel, std::int64_t most_off) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 18;  // numbers read at once
  RowSums sums;
  const std::int64_t keys = weights.dim(3);
  const std::int64_t block = std::clamp<std::int64_t>(kBlock / keys, 1, weights.dim(2));
  std::vector<float> values;
  for (std::int64_t b = 0; b < weights.dim(0); ++b) {
    for (std::int64_t h = 0; h < weights.dim(1); ++h) {
      for (std::int64_t first = 0; first < weights.dim(2); first += block) {
        cancel.check();
        if (sums.off > most_off) return sums;
        const std::int64_t last = std::min(first + block, weights.dim(2));
        values.resize(static_cast<std::size_t>((last - first) * keys));
        weights.read({{b, b + 1}, {h, h + 1}, {first, last}, {0, keys}}, values);
        for (std::int64_t i = first; i < last; ++i) {
          const float* row = values.data() + (i - first) * keys;
          double sum = 0;
          for (std::int64_t j = 0; j < keys; ++j) sum += static_cast<double>(row[j]);
          ++sums.rows;
          const double error = std::abs(sum - 1);
          if (std::isnan(error)) {
            ++sums.nan_rows;
            continue;
          }
          sums.off += error > kRowSumTolerance ? 1 : 0;
          if (error > sums.largest_error) {
            sums.largest_error = error;
            sums.batch = b;
            sums.head = h;
            sums.query = i;
          }
        }
      }
    }
  }
  return sums;
}

std::string row_sums_text(const RowSums& sums) {
  std::string text;
  if (sums.off > 0) {
    text = fmt::format("{} of {} rows do not add up to 1 within {:g}", sums.off, sums.rows, kRowSumTolerance);
  } else if (sums.nan_rows == sums.rows) {
    return fmt::format("all {} rows hold NaN", sums.rows);
  } else {
    text = fmt::format("{} of {} rows add up to 1", sums.rows - sums.nan_rows, sums.rows);
  }
  text += fmt::format("; the largest |sum - 1| is {:.3g}", sums.largest_error);
  if (sums.off > 0) text += fmt::format(" (batch {}, head {}, query {})", sums.batch, sums.head, sums.query);
  if (sums.nan_rows > 0)
    text += fmt::format("; {} {} NaN", sums.nan_rows, sums.nan_rows == 1 ? "row holds" : "rows hold");
  return text;
}

}  // namespace headscope
