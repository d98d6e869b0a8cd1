#include "core/corpus/phrase_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"
#include "core/request/problem.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

// The sums of one phrase.
struct PhraseSums {
  std::vector<double> sums, products;
};

void add_position(PhraseSums& to, std::span<const float> x) {
  std::size_t place = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const double value = x[a];
    to.sums[a] += value;
    double* products = to.products.data() + place;
    for (std::size_t b = a; b < x.size(); ++b) products[b - a] += value * static_cast<double>(x[b]);
    place += x.size() - a;
  }
}

[[noreturn]] void refuse(const HeadRecord& head, const std::string& why) {
  throw ProblemError({"points", fmt::format("layer {}, head {}: {}", head.layer, head.head, why), "", {}});
}

// [positions, numbers] of the head.
Tensor rows_of_kind(const HeadRecord& head, const Trace& trace, VectorKind kind, std::int64_t size,
                    std::int64_t positions) {
  const Stage* stage = trace.find(vector_stage(kind));
  if (stage == nullptr) refuse(head, fmt::format("there is no stage {}", stage_name(vector_stage(kind))));
  const Tensor& all = stage->tensor;
  const std::int64_t group = head.head / std::max<std::int64_t>(1, trace.num_heads() / all.dim(1));
  const Tensor rows = matrix_at(all, 0, group);
  // A key of bias_k stands behind the others, and is no position.
  if (rows.dim(0) < positions || rows.dim(1) != size) {
    refuse(head, fmt::format("{} has {} rows of {} numbers, expected {} of {}", vector_kind_key(kind), rows.dim(0),
                             rows.dim(1), positions, size));
  }
  return rows;
}

}  // namespace

void check_wanted(const VectorsWanted& wanted) {
  const std::int64_t largest = *std::max_element(wanted.sizes.begin(), wanted.sizes.end());
  if (largest <= kMostVectorSize) return;
  throw UsageError("points", fmt::format("found vectors of {} numbers", largest),
                   fmt::format("at most {}", kMostVectorSize));
}

void add_vectors(HeadRecord& head, const Trace& trace, const VectorSizes& sizes,
                 const std::vector<std::int64_t>& slots) {
  const auto positions = static_cast<std::int64_t>(slots.size());
  const auto drawn = std::count_if(slots.begin(), slots.end(), [](std::int64_t slot) { return slot >= 0; });
  for (std::size_t k = 0; k < kVectorKinds; ++k) {
    if (sizes[k] == 0) continue;
    const VectorKind kind = all_vector_kinds()[k];
    const auto size = static_cast<std::size_t>(sizes[k]);
    HeadVectors& to = head.vectors[k];
    PhraseSums phrase{std::vector<double>(to.sums.size()), std::vector<double>(to.products.size())};
    to.points.resize(static_cast<std::size_t>(drawn) * size);
    for_each_row(rows_of_kind(head, trace, kind, sizes[k], positions),
                 [&](const Index&, std::int64_t i, std::span<const float> x) {
                   if (i >= positions) return;
                   for (const float number : x) {
                     if (!(std::fabs(number) <= kLargestNumber)) {
                       refuse(head, fmt::format("a number of {} {} is {}", vector_kind_key(kind), i, number));
                     }
                   }
                   add_position(phrase, x);
                   const std::int64_t slot = slots[static_cast<std::size_t>(i)];
                   if (slot >= 0)
                     std::copy(x.begin(), x.end(), to.points.data() + static_cast<std::size_t>(slot) * size);
                 });
    for (std::size_t n = 0; n < phrase.sums.size(); ++n) to.sums[n].add_large(phrase.sums[n]);
    for (std::size_t n = 0; n < phrase.products.size(); ++n) to.products[n].add_large(phrase.products[n]);
  }
}

}  // namespace headscope
