#include "core/diagnose/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

constexpr double kMargin = 3;             // other kernels round at other places
constexpr double kFloat32Steps = 2.5e-7;  // two steps of a float32, in shares of the number
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::size_t width_of(const WideStage& stage) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, stage.shape[stage.shape.count - 1]));
}

}  // namespace

double row_size(const WideStage& stage, std::size_t first, const IsFilled& filled) {
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t k = first; k < first + width_of(stage); ++k) {
    if (!std::isfinite(stage.values[k]) || (filled && (is_fill(stage.values[k]) || filled(k)))) continue;
    squares += stage.values[k] * stage.values[k];
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

Tolerance::Tolerance(const NumberFormat& format, std::optional<double> fixed, const WideStage& exact,
                     const WideStage& rounded, const IsFilled& filled)
    : format_(format), fixed_(fixed) {
  if (format.grid != nullptr) allow(largest_share(exact, rounded, filled));
}

void Tolerance::allow(double share) {
  share_ = std::max(share_, kMargin * share);
}

double largest_share(const WideStage& exact, const WideStage& moved, const IsFilled& filled) {
  if (!(exact.shape == moved.shape) || exact.shape.count == 0) return 0;
  double share = 0;
  for (std::size_t first = 0; first < exact.values.size(); first += width_of(exact)) {
    const double size = row_size(exact, first, filled);
    if (!(size > 0)) continue;
    for (std::size_t k = first; k < first + width_of(exact); ++k) {
      if (filled && filled(k)) continue;
      const double apart = std::abs(exact.values[k] - moved.values[k]);
      if (std::isfinite(apart)) share = std::max(share, apart / size);
    }
  }
  return share;
}

double Tolerance::of(double right, double size) const {
  if (fixed_) return *fixed_;
  // A cell may be much larger than the computed cells of its row: one that a mask hides in ours.
  double step = std::max(format_.step, std::isfinite(right) ? kFloat32Steps * std::abs(right) : 0);
  if (format_.grid != nullptr && std::isfinite(right)) {
    const double lowest = std::ldexp(1.0, format_.grid->lowest);
    step = std::ldexp(std::max(std::abs(right), lowest), 1 - format_.grid->digits);
  }
  return share_ * size + step;
}

double Tolerance::of(std::size_t place, double right, double size) const {
  const double allowed = of(right, size);
  return fixed_ || place >= cells_.size() ? allowed : allowed + cells_[place];
}

double Remainder::residual() const {
  if (squares == 0) return 0;
  return size > 0 ? std::sqrt(squares / size) : kInfinity;
}

namespace {

constexpr std::size_t kComparedAtOnce = std::size_t{1} << 14;  // of rows that are compared by one thread

// compare_stage() hands its arguments on in this.
struct Question {
  const WideStage& right;
  const WideStage* other;
  const WideStage& theirs;
  const Tolerance& tolerance;
  const IsFilled& filled;
};

// Adds the row from `first` on to `result`, and the places of its wrong cells to `wrong`, unless that is null.
void compare_row(const Question& asked, std::size_t first, Remainder& result, std::vector<std::size_t>* wrong) {
  const auto& [right, other, theirs, tolerance, filled] = asked;
  // A mistake that makes numbers huge may not make everything else small beside them.
  const double size = std::min(row_size(right, first, filled), row_size(theirs, first, filled));
  for (std::size_t k = first; k < first + width_of(theirs); ++k) {
    const double a = right.values[k], b = theirs.values[k];
    if (std::isfinite(b) && !(filled && (is_fill(b) || filled(k)))) result.size += b * b;
    const double allowed = tolerance.of(k, std::abs(a) < std::abs(b) ? a : b, size);
    if (std::isfinite(allowed)) result.allowed = std::max(result.allowed, allowed);
    result.rounding += tolerance.of_rounding(k) * tolerance.of_rounding(k);
    if (same(a, b)) continue;
    const double apart = std::abs(a - b);
    const bool near = apart <= allowed || (other != nullptr && std::abs(other->values[k] - b) <= allowed);
    if (!std::isfinite(apart)) {
      result.squares = result.largest = kInfinity;
    } else {
      result.squares += apart * apart;
      result.largest = std::max(result.largest, apart);
    }
    if (near) continue;
    ++result.wrong;
    if (wrong != nullptr) wrong->push_back(k);
  }
}

void add(const Remainder& part, Remainder& to) {
  to.wrong += part.wrong;
  to.squares += part.squares;
  to.size += part.size;
  to.rounding += part.rounding;
  to.largest = std::max(to.largest, part.largest);
  to.allowed = std::max(to.allowed, part.allowed);
}

}  // namespace

Remainder compare_stage(const WideStage& right, const WideStage* other, const WideStage& theirs,
                        const Tolerance& tolerance, const IsFilled& filled, const RowPass& pass) {
  const Question asked{right, other, theirs, tolerance, filled};
  const std::size_t width = width_of(theirs), cells = theirs.values.size();
  const std::size_t step = std::max<std::size_t>(1, kComparedAtOnce / width) * width;
  struct Part {
    Remainder left;
    std::vector<std::size_t> wrong;
  };
  std::vector<Part> parts((cells + step - 1) / step);
  const auto compare = [&](std::int64_t k) {
    Part& part = parts[static_cast<std::size_t>(k)];
    const std::size_t begin = static_cast<std::size_t>(k) * step, end = std::min(cells, begin + step);
    for (std::size_t first = begin; first < end; first += width) {
      compare_row(asked, first, part.left, pass.visit ? &part.wrong : nullptr);
    }
  };
  const auto count = static_cast<std::int64_t>(parts.size());
  if (pass.pool != nullptr) {
    pass.pool->run(count, true, compare);
  } else {
    for (std::int64_t k = 0; k < count; ++k) compare(k);
  }
  Remainder result;
  for (const Part& part : parts) {
    add(part.left, result);
    for (const std::size_t k : part.wrong) pass.visit(k, right.values[k], theirs.values[k]);
  }
  return result;
}

}  // namespace headscope
