#include "core/corpus/point_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "core/corpus/principal_axes.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

void write_kind(std::ostream& out, const CorpusRecord& record, const HeadRecord& head, VectorKind kind) {
  const HeadVectors& vectors = head.vectors[static_cast<std::size_t>(kind)];
  const PrincipalAxes axes = principal_axes(vectors, record.tokens);
  const std::size_t count = std::min(kReportedAxes, axes.size());
  if (count == 0) return;
  const std::vector<double> places = projected_points(axes, vectors.points, count);
  for (std::size_t k = 0; k < record.points.size(); ++k) {
    const PointPlace& place = record.points[k];
    out << fmt::format("{},{},{},{},{},{},{},{:016x}", head.layer, head.head, vector_kind_key(kind), place.phrase,
                       place.position, csv_field(place.text), place.token, place.hash);
    for (std::size_t axis = 0; axis < kReportedAxes; ++axis) {
      out << (axis < count ? fmt::format(",{}", places[k * count + axis]) : ",");
    }
    out << '\n';
  }
}

}  // namespace

Json variance_json(const HeadRecord& head, const CorpusRecord& record) {
  if (record.facts.points == 0) return nullptr;
  Json json = Json::object();
  for (const VectorKind kind : all_vector_kinds()) {
    const HeadVectors& vectors = head.vectors[static_cast<std::size_t>(kind)];
    Json shares = nullptr;
    if (vectors.size() > 0) shares = Json::array();
    for (const double share : variance_shares(vectors, record.tokens, kReportedAxes)) {
      shares.push_back(json_number(share));
    }
    json[std::string(vector_kind_key(kind))] = std::move(shares);
  }
  return json;
}

void write_points(std::ostream& out, const CorpusRecord& record, std::size_t head) {
  out << "layer,head,vector,phrase,position,token,id,hash";
  for (std::size_t axis = 1; axis <= kReportedAxes; ++axis) out << ",pc" << axis;
  out << '\n';
  for (const VectorKind kind : all_vector_kinds()) write_kind(out, record, record.heads[head], kind);
}

std::string points_csv(const CorpusRecord& record, std::size_t head) {
  std::ostringstream text;
  write_points(text, record, head);
  return text.str();
}

}  // namespace headscope
