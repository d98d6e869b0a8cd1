#include "core/diagnose/dump_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace headscope {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes_of(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

// The axes of ours, slowest first, with the heads apart where theirs have them apart.
std::string own_axes(const AxesTarget& target, std::string_view axes) {
  if (target.own.rank() == 4) return target.of_scores ? "bhij" : "bhid";
  return axes.find('h') == std::string_view::npos ? "bid" : "bihd";
}

std::int64_t size_of(const AxesTarget& target, bool apart, char axis) {
  const Shape& own = target.own.shape();
  const bool four = own.count == 4;
  switch (axis) {
    case 'b':
      return own[0];
    case 'h':
      return four ? own[1] : target.heads;
    case 'i':
      return own[four ? 2 : 1];
    default:
      return four ? own[3] : apart ? own[2] / target.heads : own[2];
  }
}

// Without axes of size 1 in front, or behind, that are more than `count`.
Sizes without_ones(Sizes sizes, std::size_t count, bool behind) {
  while (sizes.size() > count && (behind ? sizes.back() : sizes.front()) == 1) {
    sizes.erase(behind ? sizes.end() - 1 : sizes.begin());
  }
  return sizes;
}

// Their numbers with axes as letters.
struct Lettered {
  std::string axes;
  Sizes sizes;
  std::vector<float> values;
};

// The axes named in `to`, of which each is in `from` or has size 1; of each at most `most` numbers.
std::vector<float> arranged(const Lettered& from, std::string_view to, const Sizes& most) {
  Sizes steps(to.size(), 0), at(to.size(), 0);
  for (std::size_t k = 0; k < to.size(); ++k) {
    const std::size_t place = from.axes.find(to[k]);
    if (place == std::string::npos) continue;
    std::int64_t step = 1;
    for (std::size_t after = place + 1; after < from.sizes.size(); ++after) step *= from.sizes[after];
    steps[k] = step;
  }
  std::int64_t count = 1;
  for (const std::int64_t each : most) count *= each;
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(count));
  std::int64_t place = 0;
  for (std::int64_t done = 0; done < count; ++done) {
    result.push_back(from.values[static_cast<std::size_t>(place)]);
    for (std::size_t k = to.size(); k-- > 0;) {
      place += steps[k];
      if (++at[k] < most[k]) break;
      place -= steps[k] * most[k];
      at[k] = 0;
    }
  }
  return result;
}

// The reading of numbers whose axes are written in this order; nothing where the sizes are others.
std::optional<AxesReading> read_in(Lettered theirs, const AxesTarget& target, bool ggml) {
  const bool apart = theirs.axes.find('h') != std::string::npos;
  if (target.own.rank() == 3 && apart && target.own.dim(2) % target.heads != 0) return std::nullopt;
  if (theirs.axes.find('b') == std::string::npos && target.own.dim(0) != 1) return std::nullopt;
  if (theirs.axes.front() == 'b' && theirs.sizes.size() + 1 == theirs.axes.size() && target.own.dim(0) == 1) {
    theirs.axes.erase(0, 1);
  }
  if (theirs.sizes.size() != theirs.axes.size()) return std::nullopt;
  const std::string own = own_axes(target, theirs.axes);
  Sizes most;
  std::int64_t first_row = 0;
  for (const char axis : own) {
    most.push_back(size_of(target, apart, axis));
    const std::size_t place = theirs.axes.find(axis);
    if (place == std::string::npos || theirs.sizes[place] == most.back()) continue;
    const bool last_row = axis == 'i' && target.last_row && theirs.sizes[place] == 1;
    if (last_row) {
      first_row = most.back() - 1;
      most.back() = 1;
    } else if (axis != 'j' || !ggml || theirs.sizes[place] < most.back()) {
      return std::nullopt;
    }
  }
  Shape shape = target.own.shape();
  if (first_row > 0) shape[shape.count == 4 ? 2 : 1] = 1;
  return AxesReading{Tensor::of(shape, target.own.axes(), arranged(theirs, own, most)), first_row, ""};
}

std::string words_of(std::string_view axes) {
  std::string text;
  for (const char axis : axes) {
    text += text.empty() ? "[" : ", ";
    text += axis == 'b'   ? "batch"
            : axis == 'h' ? "heads"
            : axis == 'i' ? "positions"
            : axis == 'j' ? "keys"
                          : "features";
  }
  return text + "]";
}

}  // namespace

std::vector<AxesReading> axes_readings(const Tensor& theirs, const ProgramName& row, const AxesTarget& target) {
  std::string axes(row.axes);
  std::erase(axes, 'l');
  if (axes.empty()) axes = own_axes(target, "");
  std::vector<AxesReading> readings;
  const Sizes sizes = sizes_of(theirs.shape());
  const auto add = [&](Lettered lettered, const std::string& as) {
    std::optional<AxesReading> read = read_in(std::move(lettered), target, row.ggml);
    if (!read) return;
    read->as = as;
    readings.push_back(std::move(*read));
  };
  const std::vector<float> values = theirs.values();
  add({axes, without_ones(sizes, axes.size(), false), values}, "");
  if (!row.ggml) return readings;
  const std::string turned(axes.rbegin(), axes.rend());
  const Sizes kept = without_ones(sizes, axes.size(), true);
  add({axes, {kept.rbegin(), kept.rend()}, values}, words_of(turned) + ", fastest first, the numbers as ggml has them");
  add({turned, kept, values}, words_of(turned));
  // A single axis that is the same either way is one reading.
  if (readings.size() > 1 && sizes.size() == 1) readings.resize(1);
  return readings;
}

double distance_of(const AxesReading& theirs, const Tensor& own) {
  Region region = whole(own.shape());
  if (theirs.first_row > 0) region[own.rank() == 4 ? 2 : 1].begin = theirs.first_row;
  std::vector<float> ours(static_cast<std::size_t>(element_count(region)));
  own.read(region, ours);
  const std::vector<float> values = theirs.tensor.values();
  double apart = 0, size = 0;
  for (std::size_t k = 0; k < std::min(ours.size(), values.size()); ++k) {
    const double a = static_cast<double>(ours[k]), b = static_cast<double>(values[k]);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    apart += (a - b) * (a - b);
    size += a * a;
  }
  if (!std::isfinite(apart)) return std::numeric_limits<double>::infinity();
  return size > 0 ? std::sqrt(apart / size) : std::sqrt(apart);
}

}  // namespace headscope
