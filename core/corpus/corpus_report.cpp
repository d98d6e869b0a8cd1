#include "core/corpus/corpus_report.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <utility>

#include "core/corpus/head_mean.h"
#include "core/corpus/point_report.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kReportedTokens = 20;  // of a side

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

Json example_json(const CorpusExample& example) {
  return {{"value", static_cast<double>(example.value)},
          {"phrase", example.phrase},
          {"query", example.query},
          {"key", example.key},
          {"hash", hash_text(example.hash)}};
}

Json examples_json(const std::vector<CorpusExample>& examples) {
  Json all = Json::array();
  for (const CorpusExample& example : examples) all.push_back(example_json(example));
  return all;
}

// The edges of a tenth.
double low_of(std::size_t decile) {
  return static_cast<double>(decile) / static_cast<double>(kDeciles);
}

Json samples_json(const HeadRecord& head) {
  Json all = Json::array();
  for (std::size_t d = 0; d < kDeciles; ++d) {
    all.push_back({{"low", low_of(d)}, {"high", low_of(d + 1)}, {"rows", examples_json(head.samples[d])}});
  }
  return all;
}

Json tokens_json(const TokenCounts& counts, const CorpusRecord& record) {
  Json all = Json::array();
  for (const TokenCount& count : counts.top(kReportedTokens)) {
    all.push_back({{"token", record.words.at(count.token)}, {"id", count.token}, {"rows", count.rows}});
  }
  return all;
}

Json repeated_json(const RepeatedRecord& repeated) {
  Json json = {{"rows", repeated.rows}};
  for (std::size_t k = 0; k < kRepeatedMetrics.size(); ++k) {
    json[std::string(corpus_metric_key(kRepeatedMetrics[k]))] = json_number(repeated.mean(k));
  }
  return json;
}

// Rows of the map, one a part of the queries.
Json pattern_json(const HeadRecord& head, const CorpusRecord& record) {
  if (!record.facts.patterns) return nullptr;
  Json rows = Json::array();
  for (std::size_t query = 0; query < kPatternParts; ++query) {
    Json row = Json::array();
    for (std::size_t key = 0; key < kPatternParts; ++key) row.push_back(json_number(head.pattern.mean(query, key)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json loss_json(const CorpusRecord& record) {
  if (record.facts.ablation_sample == 0) return nullptr;
  return {{"tokens", record.loss_tokens}, {"mean", json_number(mean_loss(record.loss, record))}};
}

Json phrase_loss_json(const CorpusRecord& record) {
  if (!record.facts.phrase_loss) return nullptr;
  return {{"tokens", record.phrase_loss_tokens}, {"mean", json_number(mean_phrase_loss(record))}};
}

Json head_json(const HeadRecord& head, const CorpusRecord& record) {
  Json json = {{"layer", head.layer}, {"head", head.head}, {"rows", head.rows}};
  for (const CorpusMetric metric : all_corpus_metrics()) {
    json[std::string(corpus_metric_key(metric))] = json_number(head.mean(metric));
  }
  json["histograms"] = histograms_json(head);
  json["top"] = examples_json(head.top);
  json["samples"] = samples_json(head);
  json["repeated"] = record.facts.repeated > 0 ? repeated_json(head.repeated) : Json(nullptr);
  const bool sampled = record.facts.ablation_sample > 0;
  json["loss_ablated"] = sampled ? Json(json_number(mean_loss(head.ablated_loss, record))) : Json(nullptr);
  json["pointing"] = head.pointing;
  json["pattern"] = pattern_json(head, record);
  json["variance"] = variance_json(head, record);
  json["query_tokens"] = tokens_json(head.query_tokens, record);
  json["key_tokens"] = tokens_json(head.key_tokens, record);
  return json;
}

void write_heads(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,rows";
  for (const CorpusMetric metric : all_corpus_metrics())
    out << ',' << csv_field(std::string(corpus_metric_key(metric)));
  const bool repeated = record.facts.repeated > 0;
  if (repeated) out << ",repeated_rows";
  for (std::size_t k = 0; k < kRepeatedMetrics.size() && repeated; ++k) {
    out << ",repeated_" << corpus_metric_key(kRepeatedMetrics[k]);
  }
  const bool sampled = record.facts.ablation_sample > 0;
  if (sampled) out << ",loss,loss_ablated";
  const bool losses = record.facts.phrase_loss;
  if (losses) out << ",phrase_loss";
  out << '\n';
  for (const HeadRecord& head : record.heads) {
    out << fmt::format("{},{},{}", head.layer, head.head, head.rows);
    for (const CorpusMetric metric : all_corpus_metrics()) out << ',' << double_text(head.mean(metric));
    if (repeated) out << ',' << head.repeated.rows;
    for (std::size_t k = 0; k < kRepeatedMetrics.size() && repeated; ++k) {
      out << ',' << double_text(head.repeated.mean(k));
    }
    if (sampled) {
      out << ',' << double_text(mean_loss(record.loss, record)) << ','
          << double_text(mean_loss(head.ablated_loss, record));
    }
    if (losses) out << ',' << double_text(mean_phrase_loss(record));
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

// value,phrase,query,key,hash.
std::string example_text(const CorpusExample& example) {
  return fmt::format("{},{},{},{},{}", number_text(example.value), example.phrase, example.query, example.key,
                     hash_text(example.hash));
}

void write_top(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,rank,value,phrase,query,key,hash\n";
  for (const HeadRecord& head : record.heads) {
    for (std::size_t k = 0; k < head.top.size(); ++k) {
      out << fmt::format("{},{},{},{}\n", head.layer, head.head, k, example_text(head.top[k]));
    }
  }
}

void write_samples(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,low,high,value,phrase,query,key,hash\n";
  for (const HeadRecord& head : record.heads) {
    for (std::size_t d = 0; d < kDeciles; ++d) {
      for (const CorpusExample& row : head.samples[d]) {
        out << fmt::format("{},{},{},{},{}\n", head.layer, head.head, double_text(low_of(d)),
                           double_text(low_of(d + 1)), example_text(row));
      }
    }
  }
}

void write_patterns(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,query_part,key_part,rows,weight\n";
  for (const HeadRecord& head : record.heads) {
    for (std::size_t query = 0; query < kPatternParts && record.facts.patterns; ++query) {
      for (std::size_t key = 0; key < kPatternParts; ++key) {
        out << fmt::format("{},{},{},{},{},{}\n", head.layer, head.head, query, key, head.pattern.rows[query],
                           double_text(head.pattern.mean(query, key)));
      }
    }
  }
}

void write_tokens(std::ostream& out, const CorpusRecord& record) {
  out << "layer,head,side,rank,token,id,rows\n";
  for (const HeadRecord& head : record.heads) {
    for (const auto& [side, counts] : {std::pair("query", &head.query_tokens), std::pair("key", &head.key_tokens)}) {
      std::size_t rank = 0;
      for (const TokenCount& count : counts->top(kReportedTokens)) {
        out << fmt::format("{},{},{},{},{},{},{}\n", head.layer, head.head, side, rank++,
                           csv_field(record.words.at(count.token)), count.token, count.rows);
      }
    }
  }
}

}  // namespace

nlohmann::ordered_json corpus_json(const CorpusRecord& record) {
  const CorpusFacts& facts = record.facts;
  Json json = {{"model", facts.model},      {"sha256", facts.sha256},  {"tokenizer", facts.tokenizer},
               {"phrases", record.phrases}, {"tokens", record.tokens}, {"most_tokens", facts.most_tokens},
               {"repeated", facts.repeated}};
  json["architecture"] = facts.architecture.empty() ? Json(nullptr) : Json(facts.architecture);
  json["ablation_sample"] = facts.ablation_sample;
  json["points"] = facts.points;
  json["loss"] = loss_json(record);
  json["phrase_loss"] = phrase_loss_json(record);
  json["list"] = {{"size", facts.list_size},
                  {"sha256", facts.list_sha256},
                  {"scanned", record.scanned.text()},
                  {"missing", record.scanned.missing(facts.list_size).text()},
                  {"blank", record.blank},
                  {"unreadable", record.unreadable}};
  json["heads"] = Json::array();
  for (const HeadRecord& head : record.heads) json["heads"].push_back(head_json(head, record));
  return json;
}

std::vector<std::string> write_corpus_tables(const std::string& folder, const CorpusRecord& record,
                                             std::optional<std::size_t> points_of) {
  make_folder(folder);
  const std::filesystem::path at(folder);
  FilesTogether files;
  files.add((at / "heads.csv").string(), [&](std::ostream& out) { write_heads(out, record); });
  files.add((at / "histograms.csv").string(), [&](std::ostream& out) { write_histograms(out, record); });
  files.add((at / "top.csv").string(), [&](std::ostream& out) { write_top(out, record); });
  files.add((at / "samples.csv").string(), [&](std::ostream& out) { write_samples(out, record); });
  files.add((at / "tokens.csv").string(), [&](std::ostream& out) { write_tokens(out, record); });
  files.add((at / "patterns.csv").string(), [&](std::ostream& out) { write_patterns(out, record); });
  std::vector<std::string> names = {"heads.csv",   "histograms.csv", "top.csv",
                                    "samples.csv", "tokens.csv",     "patterns.csv"};
  if (points_of) {
    names.emplace_back("points.csv");
    files.add((at / "points.csv").string(), [&](std::ostream& out) { write_points(out, record, *points_of); });
  }
  files.commit();
  return names;
}

std::string heads_csv(const CorpusRecord& record) {
  std::ostringstream text;
  write_heads(text, record);
  return text.str();
}

std::string heads_csv(const HeadTable& table, std::span<const std::size_t> heads) {
  std::ostringstream text;
  text << "layer,head";
  for (std::size_t mean = 0; mean < table.keys.size(); ++mean) {
    if (table.held[mean]) text << ',' << csv_field(table.keys[mean]);
  }
  text << '\n';
  for (const std::size_t head : heads) {
    text << fmt::format("{},{}", table.heads[head].layer, table.heads[head].head);
    for (std::size_t mean = 0; mean < table.keys.size(); ++mean) {
      if (table.held[mean]) text << ',' << double_text(table.mean(mean, head));
    }
    text << '\n';
  }
  return text.str();
}

}  // namespace headscope
