#include "core/corpus/head_vectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope {
namespace {

struct KindInfo {
  VectorKind kind;
  std::string_view key;
  StageId stage;
};
constexpr std::array<KindInfo, kVectorKinds> kKinds = {{{VectorKind::query, "query", StageId::query},
                                                        {VectorKind::key, "key", StageId::key},
                                                        {VectorKind::value, "value", StageId::value},
                                                        {VectorKind::output, "output", StageId::context}}};

}  // namespace

const std::array<VectorKind, kVectorKinds>& all_vector_kinds() {
  static constexpr std::array<VectorKind, kVectorKinds> all = {VectorKind::query, VectorKind::key, VectorKind::value,
                                                               VectorKind::output};
  return all;
}

std::string_view vector_kind_key(VectorKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].key;
}

StageId vector_stage(VectorKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].stage;
}

HeadVectors::HeadVectors(std::int64_t size)
    : sums(static_cast<std::size_t>(size)), products(static_cast<std::size_t>(size * (size + 1) / 2)) {}

void HeadVectors::add_sums(const HeadVectors& other) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(other.sums[k]);
  for (std::size_t k = 0; k < products.size(); ++k) products[k].add(other.products[k]);
}

void HeadVectors::clear() {
  std::fill(sums.begin(), sums.end(), ExactSum());
  std::fill(products.begin(), products.end(), ExactSum());
  points.clear();
}

std::string vector_sizes_text(const VectorSizes& sizes) {
  return fmt::format("{}", fmt::join(sizes, ","));
}

}  // namespace headscope
