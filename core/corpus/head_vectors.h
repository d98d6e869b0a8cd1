// The vectors of a head over a corpus: sums that mean and covariance follow from, and rows that were drawn to look at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus/exact_sum.h"
#include "core/request/stage.h"

namespace headscope {

// A position's query and key as they meet in the scores, its value, and the head's row of context. Heads that share
// keys and values each have those of their group.
enum class VectorKind { query, key, value, output };
constexpr std::size_t kVectorKinds = 4;
const std::array<VectorKind, kVectorKinds>& all_vector_kinds();
// "query": in files, tables and JSON.
std::string_view vector_kind_key(VectorKind kind);
// query, key, value, context.
StageId vector_stage(VectorKind kind);

// How many numbers a vector of each kind has; 0: none are held.
using VectorSizes = std::array<std::int64_t, kVectorKinds>;

constexpr std::int64_t kMostPoints = 1024, kMostVectorSize = 4096;
constexpr float kLargestNumber = 65536;  // of a vector; phrases with larger ones are not counted

// Of one kind. Empty where none are held.
struct HeadVectors {
  std::vector<ExactSum> sums;      // [size], over all positions of all phrases
  std::vector<ExactSum> products;  // x_a x_b for a <= b, [size (size + 1) / 2]: a = 0 with all b, then a = 1
  std::vector<float> points;       // [CorpusRecord::points][size]

  HeadVectors() = default;
  explicit HeadVectors(std::int64_t size);
  std::int64_t size() const { return static_cast<std::int64_t>(sums.size()); }
  // The sums of the same head elsewhere; points: add_drawn().
  void add_sums(const HeadVectors& other);
  void clear();
  friend bool operator==(const HeadVectors&, const HeadVectors&) = default;
};

// "16,16,16,16", in the order of VectorKind.
std::string vector_sizes_text(const VectorSizes& sizes);

}  // namespace headscope
