// The points of a head on its principal axes, and which tokens they are of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/corpus/corpus_record.h"

namespace headscope {

constexpr std::size_t kReportedAxes = 8;

// The kind of that name; nullopt: there is none.
std::optional<VectorKind> vector_kind_named(std::string_view key);

struct HeadPoints {
  VectorKind kind = VectorKind::query;
  std::size_t count = 0;       // as many as CorpusRecord::points
  std::vector<double> shares;  // of variance, of the first axes, at most kReportedAxes
  std::vector<double> places;  // [axes][count]

  std::size_t axes() const { return shares.size(); }
  // The places on an axis; on the last one where there is none such. There is an axis.
  std::span<const double> on(std::size_t axis) const;
};

// Of a head of the record, by its index; no axes where the record holds no such vectors.
HeadPoints head_points(const CorpusRecord& record, std::size_t head, VectorKind kind);

// "axis 1: 34.2 % of the variance"; axes count from 0.
std::string axis_title(const HeadPoints& points, std::size_t axis);

constexpr std::size_t kColoredTokens = 8;  // of a plane: so many have a colour of their own

// The tokens that most points are of: at most `most`, and none of a single point; of equally many the one that was
// drawn first.
struct PointToken {
  std::string text;
  std::uint64_t token = 0;
  std::size_t points = 0;
  friend bool operator==(const PointToken&, const PointToken&) = default;
};
std::vector<PointToken> frequent_tokens(const CorpusRecord& record, std::size_t most);
// One a point: the index of its token among these; -1: of another one.
std::vector<std::int64_t> token_of_points(const CorpusRecord& record, const std::vector<PointToken>& tokens);

}  // namespace headscope
