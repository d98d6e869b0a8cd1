#include "core/model/low_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/assert.h"

namespace headscope {
namespace {

// Numbers that are merged at once where all are gone through.
constexpr std::int64_t kPiece = std::int64_t{1} << 20;

class MergedMatrix {
 public:
  MergedMatrix(Tensor base, LowRankChange change) : base_(std::move(base)), change_(std::move(change)) {}

  void read(const Region& region, std::span<float> out) const {
    const std::vector<double>* factors = change_.magnitudes.empty() ? nullptr : &factors_of_outputs();
    base_.read(region, out);
    const auto width = static_cast<std::size_t>(region[1].size());
    for (std::int64_t row = region[0].begin; row < region[0].end; ++row) {
      const std::span<float> numbers = out.subspan(static_cast<std::size_t>(row - region[0].begin) * width, width);
      const std::vector<double> sums = sums_of(row, region[1].begin, numbers);
      for (std::size_t j = 0; j < width; ++j) {
        const std::int64_t output = change_.outputs_are_columns ? region[1].begin + static_cast<std::int64_t>(j) : row;
        const double factor = factors == nullptr ? 1 : (*factors)[static_cast<std::size_t>(output)];
        numbers[j] = static_cast<float>(factor * sums[j]);
      }
    }
  }

 private:
  // Calls f(row, sums) with every row of W + scale left right.
  template <typename F>
  void for_each_row(const F& f) const {
    const std::int64_t at_once = std::max<std::int64_t>(1, kPiece / std::max<std::int64_t>(1, change_.columns));
    const auto width = static_cast<std::size_t>(change_.columns);
    std::vector<float> numbers;
    for (std::int64_t first = 0; first < change_.rows; first += at_once) {
      const std::int64_t last = std::min(first + at_once, change_.rows);
      numbers.resize(static_cast<std::size_t>(last - first) * width);
      base_.read({{first, last}, {0, change_.columns}}, numbers);
      for (std::int64_t row = first; row < last; ++row) {
        f(row, sums_of(row, 0, std::span(numbers).subspan(static_cast<std::size_t>(row - first) * width, width)));
      }
    }
  }

  // Row `row` of W + scale left right, from `column` on, of which `numbers` are W's.
  std::vector<double> sums_of(std::int64_t row, std::int64_t column, std::span<const float> numbers) const {
    std::vector<double> sums(numbers.begin(), numbers.end());
    for (std::int64_t k = 0; k < change_.rank; ++k) {
      const double by = change_.scale * change_.left[static_cast<std::size_t>(row * change_.rank + k)];
      const float* const right = change_.right.data() + k * change_.columns + column;
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += by * right[j];
    }
    return sums;
  }

  // What the sums of every output are multiplied by.
  const std::vector<double>& factors_of_outputs() const {
    std::call_once(lengths_known_, [&] {
      std::vector<double> squares(change_.magnitudes.size());
      for_each_row([&](std::int64_t row, const std::vector<double>& sums) {
        for (std::size_t j = 0; j < sums.size(); ++j) {
          squares[change_.outputs_are_columns ? j : static_cast<std::size_t>(row)] += sums[j] * sums[j];
        }
      });
      for (std::size_t o = 0; o < squares.size(); ++o) squares[o] = change_.magnitudes[o] / std::sqrt(squares[o]);
      factors_ = std::move(squares);
    });
    return factors_;
  }

  const Tensor base_;
  const LowRankChange change_;
  mutable std::once_flag lengths_known_;
  mutable std::vector<double> factors_;
};

}  // namespace

Tensor merged_matrix(const Tensor& base, LowRankChange change, MergedMemory& memory) {
  HEADSCOPE_ASSERT(base.shape() == (Shape{change.rows, change.columns}), to_string(base.shape()));
  const Shape shape = base.shape();
  const Axes axes = base.axes();
  const auto merged = std::make_shared<const MergedMatrix>(base, std::move(change));
  const std::int64_t bytes = base.size() * static_cast<std::int64_t>(sizeof(float));
  if (memory.left.fetch_sub(bytes) >= bytes) {
    std::vector<float> values(static_cast<std::size_t>(base.size()));
    merged->read(whole(shape), values);
    return Tensor::of(shape, axes, std::move(values));
  }
  memory.left += bytes;
  return Tensor::computed(shape, axes,
                          [merged](const Region& region, std::span<float> out) { merged->read(region, out); });
}

}  // namespace headscope
