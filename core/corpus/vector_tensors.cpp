#include "core/corpus/vector_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "core/base/utf8.h"

namespace headscope {
namespace {

template <typename Number>
void append_number(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

void append_sums(std::string& bytes, const std::vector<ExactSum>& sums) {
  for (const ExactSum& sum : sums) {
    append_number(bytes, sum.low());
    append_number(bytes, sum.high());
  }
}

std::string tensor_name(VectorKind kind, const char* part) {
  return fmt::format("vectors.{}.{}", vector_kind_key(kind), part);
}

void read_sums(std::vector<ExactSum>& sums, const PlacedTensors& tensors, const std::string& name, std::size_t head) {
  const std::size_t first = head * sums.size();
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = tensors.sum_at(name, first + k);
}

const char* broken_vectors(const HeadRecord& head, const CorpusRecord& record) {
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    const HeadVectors& vectors = head.vectors[kind];
    std::size_t diagonal = 0;
    for (std::size_t a = 0; a < vectors.sums.size(); ++a) {
      if (vectors.products[diagonal].value() < 0) return "a sum of squares is below 0";
      diagonal += vectors.sums.size() - a;
    }
    const auto is_zero = [](const ExactSum& sum) { return sum == ExactSum(); };
    if (record.tokens == 0 && !(std::all_of(vectors.sums.begin(), vectors.sums.end(), is_zero) &&
                                std::all_of(vectors.products.begin(), vectors.products.end(), is_zero))) {
      return "a sum of no vector is not 0";
    }
    for (const float number : vectors.points) {
      if (!(std::fabs(number) <= kLargestNumber)) return "a number of a vector is too large";
    }
  }
  return nullptr;
}

}  // namespace

std::optional<VectorSizes> vector_sizes_of(const std::string& text) {
  VectorSizes sizes{};
  const char *at = text.data(), *end = text.data() + text.size();
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    const auto [next, error] = std::from_chars(at, end, sizes[kind]);
    if (error != std::errc() || sizes[kind] < 0 || sizes[kind] > kMostVectorSize) return std::nullopt;
    at = next;
    if (kind + 1 < kVectorKinds && (at == end || *at++ != ',')) return std::nullopt;
  }
  const bool some = std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size > 0; });
  // Only as it is written.
  return at == end && some && vector_sizes_text(sizes) == text ? std::optional(sizes) : std::nullopt;
}

void append_vector_sums(std::string& bytes, const CorpusRecord& record) {
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    for (const HeadRecord& head : record.heads) append_sums(bytes, head.vectors[kind].sums);
    for (const HeadRecord& head : record.heads) append_sums(bytes, head.vectors[kind].products);
  }
  for (const PointPlace& place : record.points) append_number(bytes, place.phrase);
  for (const PointPlace& place : record.points) append_number(bytes, place.position);
  for (const PointPlace& place : record.points) append_number(bytes, place.token);
  for (const PointPlace& place : record.points) append_number(bytes, place.hash);
  std::uint64_t end = 0;
  for (const PointPlace& place : record.points) append_number(bytes, end += place.text.size());
}

void append_vector_points(std::string& bytes, const CorpusRecord& record) {
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    for (const HeadRecord& head : record.heads) {
      for (const float number : head.vectors[kind].points) append_number(bytes, number);
    }
  }
}

void append_point_texts(std::string& bytes, const CorpusRecord& record) {
  for (const PointPlace& place : record.points) bytes += place.text;
}

std::string read_vectors(CorpusRecord& record, const PlacedTensors& tensors, const CorpusSizes& sizes) {
  if (record.facts.points == 0) return "";
  const auto count = static_cast<std::size_t>(sizes.points);
  std::uint64_t begin = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto end = tensors.at<std::uint64_t>("points.end", k);
    if (end < begin || end > static_cast<std::uint64_t>(sizes.point_bytes)) return "points.end goes back or too far";
    const char* text = reinterpret_cast<const char*>(tensors.begin_of("points.text"));
    record.points.push_back({tensors.at<std::int64_t>("points.phrase", k),
                             tensors.at<std::int64_t>("points.position", k),
                             tensors.at<std::uint64_t>("points.token", k), tensors.at<std::uint64_t>("points.hash", k),
                             std::string(text + begin, end - begin)});
    begin = end;
  }
  if (begin != static_cast<std::uint64_t>(sizes.point_bytes)) return "points.end ends early";
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    if (sizes.vectors[kind] == 0) continue;
    const VectorKind of = all_vector_kinds()[kind];
    const std::string sums = tensor_name(of, "sums"), products = tensor_name(of, "products");
    const std::byte* points = tensors.begin_of(tensor_name(of, "points"));
    const std::size_t each = count * static_cast<std::size_t>(sizes.vectors[kind]);
    for (std::size_t h = 0; h < record.heads.size(); ++h) {
      HeadVectors& vectors = record.heads[h].vectors[kind] = HeadVectors(sizes.vectors[kind]);
      read_sums(vectors.sums, tensors, sums, h);
      read_sums(vectors.products, tensors, products, h);
      vectors.points.reserve(each);
      for (std::size_t k = 0; k < each; ++k) {
        vectors.points.push_back(load<float>(points + (h * each + k) * sizeof(float)));
      }
    }
  }
  return "";
}

std::string problem_of_vectors(const CorpusRecord& record) {
  const CorpusFacts& facts = record.facts;
  if (static_cast<std::int64_t>(record.points.size()) != std::min(facts.points, record.tokens)) {
    return "it has more or fewer points than were asked for";
  }
  for (std::size_t k = 0; k < record.points.size(); ++k) {
    const PointPlace& place = record.points[k];
    const bool is_in = place.phrase >= 0 && place.phrase < facts.list_size && place.position >= 0 &&
                       place.position < facts.most_tokens;
    if (!is_in) return "a point is at no place of a phrase";
    if (k > 0 && !is_point_before(record.points[k - 1], place)) return "its points are not in order";
    if (first_invalid_byte(place.text) != place.text.npos) return "the text of a point is no UTF-8";
  }
  for (const HeadRecord& head : record.heads) {
    if (const char* why = broken_vectors(head, record))
      return fmt::format("head {}.{}: {}", head.layer, head.head, why);
  }
  return "";
}

}  // namespace headscope
