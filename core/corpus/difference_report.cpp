#include "core/corpus/difference_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "core/corpus/head_mean.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

// The shortest text that reads back to the same double; "nan", "inf".
std::string number_of(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

Json side_json(const CorpusFacts& facts) {
  return {{"model", facts.model}, {"sha256", facts.sha256}, {"tokenizer", facts.tokenizer}};
}

Json loss_json(const CorpusRecord& a, const CorpusRecord& b) {
  if (!a.facts.phrase_loss || !b.facts.phrase_loss) return nullptr;
  const double left = mean_phrase_loss(a), right = mean_phrase_loss(b);
  return {{"a", json_number(left)}, {"b", json_number(right)}, {"difference", json_number(left - right)}};
}

Json head_json(const CorpusDifference& found, const CorpusDifference::Head& head) {
  Json json = {{"layer", head.layer},
               {"head", head.head},
               {"rows_a", head.rows_a},
               {"rows_b", head.rows_b},
               {"share", json_number(head.share())},
               {"farthest", found.means[head.farthest].key},
               {"means", Json::object()}};
  for (std::size_t k = 0; k < found.means.size(); ++k) {
    const ComparedMean& mean = head.numbers[k];
    json["means"][found.means[k].key] = {
        {"a", json_number(mean.a)},         {"b", json_number(mean.b)}, {"difference", json_number(mean.difference())},
        {"share", json_number(mean.share)}, {"rows_a", mean.rows_a},    {"rows_b", mean.rows_b}};
  }
  return json;
}

}  // namespace

nlohmann::ordered_json difference_json(const CorpusRecord& a, const CorpusRecord& b, const CorpusDifference& found) {
  Json json = {{"a", side_json(a.facts)},
               {"b", side_json(b.facts)},
               {"phrases", a.phrases},
               {"tokens", a.tokens},
               {"list", {{"size", a.facts.list_size}, {"sha256", a.facts.list_sha256}, {"scanned", a.scanned.text()}}},
               {"phrase_loss", loss_json(a, b)},
               {"notes", found.notes},
               {"means", Json::array()},
               {"heads", Json::array()}};
  for (const CorpusDifference::Mean& mean : found.means) {
    json["means"].push_back({{"mean", mean.key}, {"spread", json_number(mean.spread)}});
  }
  for (const CorpusDifference::Head& head : found.heads) json["heads"].push_back(head_json(found, head));
  return json;
}

std::vector<FarMean> farthest_means(const CorpusDifference& found) {
  std::vector<FarMean> places;
  for (std::size_t h = 0; h < found.heads.size(); ++h) {
    for (std::size_t k = 0; k < found.means.size(); ++k) places.push_back({h, k});
  }
  std::sort(places.begin(), places.end(), [&](const FarMean& one, const FarMean& other) {
    const CorpusDifference::Head &left = found.heads[one.head], &right = found.heads[other.head];
    const double x = left.numbers[one.mean].share, y = right.numbers[other.mean].share;
    if (x != y) return x > y;
    return std::tuple(left.layer, left.head, one.mean) < std::tuple(right.layer, right.head, other.mean);
  });
  return places;
}

std::string difference_csv(const CorpusDifference& found) {
  std::string csv = "layer,head,mean,a,b,difference,share,rows_a,rows_b\n";
  for (const FarMean& place : farthest_means(found)) {
    const CorpusDifference::Head& head = found.heads[place.head];
    const ComparedMean& mean = head.numbers[place.mean];
    csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", head.layer, head.head, csv_field(found.means[place.mean].key),
                       number_of(mean.a), number_of(mean.b), number_of(mean.difference()), number_of(mean.share),
                       mean.rows_a, mean.rows_b);
  }
  return csv;
}

std::string write_difference_table(const std::string& folder, const CorpusDifference& found) {
  make_folder(folder);
  FilesTogether files;
  files.add((std::filesystem::path(folder) / "differences.csv").string(),
            [&](std::ostream& out) { out << difference_csv(found); });
  files.commit();
  return "differences.csv";
}

}  // namespace headscope
