#include "core/circuits/moved_heads.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>

#include "core/circuits/stacked_values.h"

namespace headscope {
namespace {

constexpr std::size_t kVectors = 8;
constexpr double kRounding = 1e-5, kFarBetter = 0.25;

using Vector = std::vector<double>;

// Vectors of 1 and -1, the same in every call.
std::vector<Vector> fixed_vectors(std::size_t size) {
  std::mt19937_64 draw(1);
  std::vector<Vector> vectors(kVectors, Vector(size));
  for (Vector& vector : vectors) {
    for (double& each : vector) each = draw() >> 63 != 0 ? 1 : -1;
  }
  return vectors;
}

// What the map left^T right of a head makes of every vector, one after the other.
Vector made_of(const std::vector<Vector>& vectors, const Vector& left, const Vector& right) {
  const std::size_t size = vectors.front().size(), rows = right.size() / size;
  Vector made;
  for (const Vector& vector : vectors) {
    Vector result(size);
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k) sum += right[row * size + k] * vector[k];
      for (std::size_t k = 0; k < size; ++k) result[k] += left[row * size + k] * sum;
    }
    made.insert(made.end(), result.begin(), result.end());
  }
  return made;
}

// What QK and OV of a head make of the vectors.
struct Made {
  Vector qk, ov;
};

std::vector<Made> made_by(const HeadMaps& maps, const CancelToken& cancel) {
  const std::vector<Vector> vectors = fixed_vectors(static_cast<std::size_t>(maps.query.dim(2)));
  std::vector<Made> made;
  for (std::int64_t h = 0; h < maps.heads(); ++h) {
    cancel.check();
    const std::int64_t group = maps.group_of(h);
    made.push_back({made_of(vectors, stacked_values(maps.query, h), stacked_values(maps.key, group)),
                    made_of(vectors, stacked_values(maps.output, h), stacked_values(maps.value, group))});
  }
  return made;
}

// |a - b|^2 / |a|^2; infinite or NaN where a is 0: no head is near that one.
double squares_apart(const Vector& a, const Vector& b) {
  double apart = 0, squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    apart += (a[k] - b[k]) * (a[k] - b[k]);
    squares += a[k] * a[k];
  }
  return apart / squares;
}

// Of every head of B the nearest of A, and of every head of A the nearest of B; of equal ones that of the same place.
struct Nearest {
  std::vector<std::size_t> of_b, of_a;
};

Nearest nearest_of(const HeadMaps& a, const HeadMaps& b, const CancelToken& cancel) {
  const std::vector<Made> left = made_by(a, cancel), right = made_by(b, cancel);
  const std::size_t heads = left.size();
  std::vector<Vector> apart(heads, Vector(heads));
  for (std::size_t i = 0; i < heads; ++i) {
    cancel.check();
    for (std::size_t j = 0; j < heads; ++j) {
      apart[i][j] = squares_apart(left[i].qk, right[j].qk) + squares_apart(left[i].ov, right[j].ov);
    }
  }
  Nearest nearest;
  for (std::size_t place = 0; place < heads; ++place) {
    std::size_t from = place, to = place;
    for (std::size_t k = 0; k < heads; ++k) {
      if (apart[k][place] < apart[from][place]) from = k;
      if (apart[place][k] < apart[place][to]) to = k;
    }
    nearest.of_b.push_back(from);
    nearest.of_a.push_back(to);
  }
  return nearest;
}

// Those alone whose places are taken by others that have moved.
void keep_exchanged(std::vector<MovedHead>& moved) {
  for (std::size_t before = moved.size() + 1; moved.size() < before;) {
    before = moved.size();
    const std::vector<MovedHead> all = moved;
    const auto is_alone = [&](const MovedHead& head) {
      return std::none_of(all.begin(), all.end(), [&](const MovedHead& other) { return other.to == head.from; });
    };
    moved.erase(std::remove_if(moved.begin(), moved.end(), is_alone), moved.end());
  }
}

}  // namespace

std::vector<MovedHead> moved_heads(const HeadMaps& a, const HeadMaps& b, const std::vector<MapsApart>& in_place,
                                   const CancelToken& cancel) {
  const auto differs = [](const MapsApart& head) { return head.largest() > kRounding; };
  if (std::count_if(in_place.begin(), in_place.end(), differs) < 2) return {};
  const Nearest nearest = nearest_of(a, b, cancel);
  std::vector<MovedHead> moved;
  for (std::size_t to = 0; to < in_place.size(); ++to) {
    const std::size_t from = nearest.of_b[to];
    if (from == to || nearest.of_a[from] != to || !differs(in_place[to])) continue;
    cancel.check();
    const auto i = static_cast<std::int64_t>(from), j = static_cast<std::int64_t>(to);
    const MapsApart apart = maps_apart(a, i, b, j);
    if (apart.largest() <= kFarBetter * in_place[to].largest()) moved.push_back({i, j, apart});
  }
  keep_exchanged(moved);
  return moved;
}

}  // namespace headscope
