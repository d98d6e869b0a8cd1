#include "core/corpus/corpus_report.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

std::string hash_text(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

// The shortest text that reads back to the same double; "nan".
std::string double_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

Json histograms_json(const HeadRecord& head) {
  Json all = Json::object();
  for (const CorpusMetric metric : all_corpus_metrics()) {
    const auto edges = histogram_edges(metric);
    if (edges.empty()) continue;
    all[std::string(corpus_metric_key(metric))] = {{"edges", std::vector<double>(edges.begin(), edges.end())},
                                                   {"counts", head.histograms[static_cast<std::size_t>(metric)]}};
  }
  return all;
}

Json head_json(const HeadRecord& head) {
  Json json = {{"layer", head.layer}, {"head", head.head}, {"rows", head.rows}};
  for (const CorpusMetric metric : all_corpus_metrics()) {
    json[std::string(corpus_metric_key(metric))] = json_number(head.mean(metric));
  }
  json["histograms"] = histograms_json(head);
  json["top"] = Json::array();
  for (const CorpusExample& example : head.top) {
    json["top"].push_back({{"value", static_cast<double>(example.value)},
                           {"phrase", example.phrase},
                           {"query", example.query},
                           {"key", example.key},
                           {"hash", hash_text(example.hash)}});
  }
  return json;
}

void write_heads(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,rows";
  for (const CorpusMetric metric : all_corpus_metrics())
    out << ',' << csv_field(std::string(corpus_metric_key(metric)));
  out << '\n';
  for (const HeadRecord& head : record.heads) {
    out << fmt::format("{},{},{}", head.layer, head.head, head.rows);
    for (const CorpusMetric metric : all_corpus_metrics()) out << ',' << double_text(head.mean(metric));
    out << '\n';
  }
}

void write_histograms(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,metric,low,high,rows\n";
  for (const HeadRecord& head : record.heads) {
    for (const CorpusMetric metric : all_corpus_metrics()) {
      const auto edges = histogram_edges(metric);
      const auto& counts = head.histograms[static_cast<std::size_t>(metric)];
      for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        out << fmt::format("{},{},{},{},{},{}\n", head.layer, head.head, corpus_metric_key(metric),
                           double_text(edges[bin]), double_text(edges[bin + 1]), counts[bin]);
      }
    }
  }
}

void write_top(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,rank,value,phrase,query,key,hash\n";
  for (const HeadRecord& head : record.heads) {
    for (std::size_t k = 0; k < head.top.size(); ++k) {
      const CorpusExample& example = head.top[k];
      out << fmt::format("{},{},{},{},{},{},{},{}\n", head.layer, head.head, k, number_text(example.value),
                         example.phrase, example.query, example.key, hash_text(example.hash));
    }
  }
}

}  // namespace

nlohmann::ordered_json corpus_json(const CorpusRecord& record) {
  const CorpusFacts& facts = record.facts;
  Json json = {{"model", facts.model},      {"sha256", facts.sha256},  {"tokenizer", facts.tokenizer},
               {"phrases", record.phrases}, {"tokens", record.tokens}, {"most_tokens", facts.most_tokens}};
  json["list"] = {{"size", facts.list_size},
                  {"sha256", facts.list_sha256},
                  {"scanned", record.scanned.text()},
                  {"missing", record.scanned.missing(facts.list_size).text()},
                  {"blank", record.blank},
                  {"unreadable", record.unreadable}};
  json["heads"] = Json::array();
  for (const HeadRecord& head : record.heads) json["heads"].push_back(head_json(head));
  return json;
}

std::vector<std::string> write_corpus_tables(const std::string& folder, const CorpusRecord& record) {
  make_folder(folder);
  const std::filesystem::path at(folder);
  FilesTogether files;
  files.add((at / "heads.csv").string(), [&](std::ostream& out) { write_heads(out, record); });
  files.add((at / "histograms.csv").string(), [&](std::ostream& out) { write_histograms(out, record); });
  files.add((at / "top.csv").string(), [&](std::ostream& out) { write_top(out, record); });
  files.commit();
  return {"heads.csv", "histograms.csv", "top.csv"};
}

}  // namespace headscope
