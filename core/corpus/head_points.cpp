#include "core/corpus/head_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/corpus/principal_axes.h"

namespace headscope {

std::optional<VectorKind> vector_kind_named(std::string_view key) {
  const auto& all = all_vector_kinds();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](VectorKind kind) { return vector_kind_key(kind) == key; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::span<const double> HeadPoints::on(std::size_t axis) const {
  return std::span(places).subspan(std::min(axis, axes() - 1) * count, count);
}

HeadPoints head_points(const CorpusRecord& record, std::size_t head, VectorKind kind) {
  const HeadVectors& vectors = record.heads[head].vectors[static_cast<std::size_t>(kind)];
  const PrincipalAxes axes = principal_axes(vectors, record.tokens);
  const std::size_t count = std::min(kReportedAxes, axes.size());
  HeadPoints found{kind, record.points.size(), {}, {}};
  const std::vector<double> rows = projected_points(axes, vectors.points, count);
  for (std::size_t axis = 0; axis < count; ++axis) {
    found.shares.push_back(axes.share(axis));
    for (std::size_t k = 0; k < found.count; ++k) found.places.push_back(rows[k * count + axis]);
  }
  return found;
}

std::string axis_title(const HeadPoints& points, std::size_t axis) {
  const std::size_t shown = std::min(axis, points.axes() - 1);
  return fmt::format("axis {}: {:.1f} % of the variance", shown + 1, 100 * points.shares[shown]);
}

std::vector<PointToken> frequent_tokens(const CorpusRecord& record, std::size_t most) {
  std::map<std::uint64_t, std::size_t> at;
  std::vector<PointToken> tokens;
  for (const PointPlace& place : record.points) {
    const auto [found, is_new] = at.emplace(place.token, tokens.size());
    if (is_new) tokens.push_back({place.text, place.token, 0});
    ++tokens[found->second].points;
  }
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const PointToken& a, const PointToken& b) { return a.points > b.points; });
  std::erase_if(tokens, [](const PointToken& token) { return token.points < 2; });
  tokens.resize(std::min(most, tokens.size()));
  return tokens;
}

std::vector<std::int64_t> token_of_points(const CorpusRecord& record, const std::vector<PointToken>& tokens) {
  std::vector<std::int64_t> of;
  for (const PointPlace& place : record.points) {
    const auto found =
        std::find_if(tokens.begin(), tokens.end(), [&](const PointToken& token) { return token.token == place.token; });
    of.push_back(found == tokens.end() ? -1 : found - tokens.begin());
  }
  return of;
}

}  // namespace headscope
