#include <fmt/format.h>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/base/assert.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/corpus_layout.h"
#include "core/corpus/vector_tensors.h"
#include "core/io/atomic_file.h"
#include "core/io/bytes.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

Json metadata_of(const CorpusRecord& record) {
  const CorpusFacts& facts = record.facts;
  Json metadata = {{"format", kCorpusFormat},
                   {"version", corpus_version_of(facts)},
                   {"checksum", std::string(kChecksumDigits, '0')},
                   {"model", facts.model},
                   {"sha256", facts.sha256},
                   {"tokenizer", facts.tokenizer},
                   {"most_tokens", std::to_string(facts.most_tokens)},
                   {"repeated", std::to_string(facts.repeated)},
                   {"ablation_sample", std::to_string(facts.ablation_sample)},
                   {"list_sha256", facts.list_sha256},
                   {"list_size", std::to_string(facts.list_size)},
                   {"scanned", record.scanned.text()},
                   {"phrases", std::to_string(record.phrases)},
                   {"tokens", std::to_string(record.tokens)},
                   {"blank", std::to_string(record.blank)},
                   {"unreadable", std::to_string(record.unreadable)},
                   {"metrics", corpus_metric_list()},
                   {"repeated_metrics", repeated_metric_list()},
                   {"step", "2^-40"}};
  if (corpus_version_of(facts) == kCorpusVersion) metadata["architecture"] = facts.architecture;
  if (facts.phrase_loss) metadata["phrase_loss"] = "1";
  if (facts.points > 0) {
    metadata["points"] = std::to_string(facts.points);
    metadata["vector_sizes"] = vector_sizes_text(facts.vector_sizes);
  }
  for (const CorpusMetric metric : all_corpus_metrics()) {
    if (histogram_edges(metric).empty()) continue;
    metadata[fmt::format("edges.{}", corpus_metric_key(metric))] = edge_list(metric);
  }
  return metadata;
}

std::string header_of(const CorpusRecord& record) {
  Json header = {{"__metadata__", metadata_of(record)}};
  std::int64_t offset = 0;
  for (const CorpusTensor& tensor : corpus_tensors(sizes_of(record))) {
    const auto count = checked_count(tensor.shape);
    HEADSCOPE_ASSERT(count.has_value(), tensor.name);
    const std::int64_t end = offset + *count * static_cast<std::int64_t>(tensor.bytes_each);
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json_dump(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

template <typename Number>
void append(std::string& bytes, Number number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

const CorpusExample& no_example() {
  static const CorpusExample none = [] {
    CorpusExample example;
    example.phrase = -1;
    return example;
  }();
  return none;
}

// f(example) of every place of a list; places that are not taken hold 0 of the phrase -1.
template <typename F>
void each_place(const std::vector<CorpusExample>& list, std::size_t places, const F& f) {
  for (std::size_t k = 0; k < places; ++k) f(k < list.size() ? list[k] : no_example());
}

template <typename F>
void each_example(const CorpusRecord& record, const F& f) {
  for (const HeadRecord& head : record.heads) each_place(head.top, kMostExamples, f);
}

template <typename F>
void each_sample(const CorpusRecord& record, const F& f) {
  for (const HeadRecord& head : record.heads) {
    for (const auto& rows : head.samples) each_place(rows, kSamplesEach, f);
  }
}

// The whole numbers of places, as they lie one after the other; `each` is each_example or each_sample.
void append_places(std::string& bytes, const auto& each) {
  each([&](const CorpusExample& example) { append(bytes, example.hash); });
  each([&](const CorpusExample& example) { append(bytes, example.phrase); });
  each([&](const CorpusExample& example) { append(bytes, example.query); });
  each([&](const CorpusExample& example) { append(bytes, example.key); });
}

void append_tokens(std::string& bytes, const CorpusRecord& record, TokenCounts HeadRecord::*side) {
  std::uint64_t end = 0;
  for (const HeadRecord& head : record.heads) append(bytes, end += (head.*side).all().size());
  for (const HeadRecord& head : record.heads) {
    for (const TokenCount& count : (head.*side).all()) append(bytes, count.token);
  }
  for (const HeadRecord& head : record.heads) {
    for (const TokenCount& count : (head.*side).all()) append(bytes, count.rows);
  }
}

void append(std::string& bytes, const ExactSum& sum) {
  append(bytes, sum.low());
  append(bytes, sum.high());
}

void append_repeated(std::string& bytes, const CorpusRecord& record) {
  for (const HeadRecord& head : record.heads) append(bytes, head.repeated.rows);
  for (const HeadRecord& head : record.heads) {
    for (const std::uint64_t count : head.repeated.counts) append(bytes, count);
  }
  for (const HeadRecord& head : record.heads) {
    for (const ExactSum& sum : head.repeated.sums) append(bytes, sum);
  }
}

void append_patterns(std::string& bytes, const CorpusRecord& record) {
  if (!record.facts.patterns) return;
  for (const HeadRecord& head : record.heads) {
    for (const std::uint64_t rows : head.pattern.rows) append(bytes, rows);
  }
  for (const HeadRecord& head : record.heads) {
    for (const ExactSum& sum : head.pattern.sums) append(bytes, sum);
  }
}

void append_words(std::string& bytes, const CorpusRecord& record) {
  for (const auto& [token, text] : record.words) append(bytes, token);
  std::uint64_t end = 0;
  for (const auto& [token, text] : record.words) append(bytes, end += text.size());
}

// Numbers of rows, sums and histograms.
void append_counts(std::string& bytes, const CorpusRecord& record) {
  for (const HeadRecord& head : record.heads) {
    append(bytes, head.layer);
    append(bytes, head.head);
  }
  for (const HeadRecord& head : record.heads) append(bytes, head.rows);
  for (const HeadRecord& head : record.heads) {
    for (const std::uint64_t count : head.counts) append(bytes, count);
  }
  for (const HeadRecord& head : record.heads) {
    for (const ExactSum& sum : head.sums) append(bytes, sum);
  }
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    for (const HeadRecord& head : record.heads) {
      for (const std::uint64_t count : head.histograms[k]) append(bytes, count);
    }
  }
}

}  // namespace

std::string corpus_file_bytes(const CorpusRecord& record) {
  const std::string header = header_of(record);
  std::string bytes;
  append(bytes, static_cast<std::uint64_t>(header.size()));
  bytes += header;
  append_counts(bytes, record);
  append_places(bytes, [&](const auto& f) { each_example(record, f); });
  append_places(bytes, [&](const auto& f) { each_sample(record, f); });
  append_repeated(bytes, record);
  append(bytes, record.loss_tokens);
  append(bytes, record.loss);
  for (const HeadRecord& head : record.heads) append(bytes, head.ablated_loss);
  if (record.facts.phrase_loss) {
    append(bytes, record.phrase_loss_tokens);
    append(bytes, record.phrase_loss);
  }
  for (const HeadRecord& head : record.heads) append(bytes, head.pointing);
  append_patterns(bytes, record);
  append_tokens(bytes, record, &HeadRecord::query_tokens);
  append_tokens(bytes, record, &HeadRecord::key_tokens);
  append_words(bytes, record);
  append_vector_sums(bytes, record);
  each_example(record, [&](const CorpusExample& example) { append(bytes, example.value); });
  each_sample(record, [&](const CorpusExample& example) { append(bytes, example.value); });
  append_vector_points(bytes, record);
  for (const auto& [token, text] : record.words) bytes += text;
  append_point_texts(bytes, record);
  const auto place = corpus_checksum_place(std::as_bytes(std::span(bytes)));
  HEADSCOPE_ASSERT(place.has_value(), "no place for the checksum");
  bytes.replace(*place, kChecksumDigits, corpus_checksum(std::as_bytes(std::span(bytes)), *place));
  return bytes;
}

void write_corpus_file(const std::string& path, const CorpusRecord& record) {
  const std::string bytes = corpus_file_bytes(record);
  write_file_atomically(
      path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
}

}  // namespace headscope
