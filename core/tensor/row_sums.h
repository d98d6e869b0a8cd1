// Sums over a row of weights in four doubles, so that additions do not wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headscope {

// sum_j w[j]. The same bits on every vector width: value j goes to sum j mod 4, and (s0 + s1) + (s2 + s3) is given.
double sum_of_row(std::span<const float> w);

// sum_j w[j] |i - j|, the mean distance of row i, in tokens. As sum_of_row(); the last values, where the row's length
// is no multiple of 4, go to the first sum.
double distance_of_row(std::span<const float> w, std::int64_t i);

// The first j with w[j] == value; w.size() where there is none.
std::size_t place_in_row(std::span<const float> w, float value);

}  // namespace headscope
