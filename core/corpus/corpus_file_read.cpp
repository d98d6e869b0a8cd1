#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/corpus/corpus_check.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/corpus_layout.h"
#include "core/corpus/head_tensors.h"
#include "core/corpus/vector_tensors.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"

namespace headscope {
namespace {

// Far beyond any scan, and sums of such numbers stay in 64 bits.
constexpr std::int64_t kMostPhrases = std::int64_t{1} << 36, kMostTokens = std::int64_t{1} << 24;
constexpr std::int64_t kMostHeads = std::int64_t{1} << 24;

// What stands in a file whose checksum is right, and yet may be made by hand.
class CorpusReader {
 public:
  CorpusReader(std::span<const std::byte> bytes, const SafetensorsHeader& header, const std::string& what)
      : bytes_(bytes), header_(header), what_(what) {}

  CorpusRecord read() {
    read_metadata();
    read_tensors();
    if (const std::string problem = problem_of(record_); !problem.empty()) fail(problem);
    return std::move(record_);
  }

 private:
  [[noreturn]] void fail(const std::string& detail) const { throw Error(what_ + ": broken .hsagg: " + detail); }

  std::string text(const std::string& key) const {
    const auto found = header_.metadata.find(key);
    if (found == header_.metadata.end()) fail("the metadata have no " + key);
    return found->second;
  }

  void expect(const std::string& key, const std::string& wanted) const {
    if (text(key) != wanted) {
      fail(fmt::format("{} is {}; expected {}", key, in_quotes(text(key)), in_quotes(wanted)));
    }
  }

  std::int64_t number(const std::string& key, std::int64_t low, std::int64_t high) const {
    const std::string digits = text(key);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < low || value > high) {
      fail(fmt::format("{} is {}; expected a whole number from {} to {}", key, in_quotes(digits), low, high));
    }
    return value;
  }

  void read_metadata() {
    expect("step", "2^-40");
    expect("metrics", corpus_metric_list());
    expect("repeated_metrics", repeated_metric_list());
    for (const CorpusMetric metric : all_corpus_metrics()) {
      if (!histogram_edges(metric).empty()) {
        expect(fmt::format("edges.{}", corpus_metric_key(metric)), edge_list(metric));
      }
    }
    CorpusFacts& facts = record_.facts;
    const std::string version = text("version");
    facts.patterns = version != kVersionWithoutPatterns;
    if (version == kCorpusVersion) facts.architecture = text("architecture");
    if (corpus_version_of(facts) != version) fail("architecture is empty");
    facts.model = text("model");
    facts.sha256 = text("sha256");
    facts.tokenizer = text("tokenizer");
    facts.list_sha256 = text("list_sha256");
    facts.most_tokens = number("most_tokens", 1, kMostTokens);
    facts.repeated = number("repeated", 0, kMostTokens);
    facts.ablation_sample = number("ablation_sample", 0, kMostTokens);
    facts.list_size = number("list_size", 0, kMostPhrases);
    if (header_.metadata.contains("phrase_loss")) {
      expect("phrase_loss", "1");
      facts.phrase_loss = true;
    }
    if (header_.metadata.contains("points")) {  // else none were asked for
      facts.points = number("points", 1, kMostPoints);
      const auto vectors = vector_sizes_of(text("vector_sizes"));
      if (!vectors) fail(fmt::format("vector_sizes is {}; expected four sizes", in_quotes(text("vector_sizes"))));
      facts.vector_sizes = *vectors;
    }
    const auto scanned = PhraseRanges::of_text(text("scanned"), facts.list_size);
    if (!scanned) fail("scanned is " + in_quotes(text("scanned")) + "; expected ranges such as 0:100,150:200");
    record_.scanned = *scanned;
    const auto count = scanned->count();
    record_.phrases = number("phrases", 0, count);
    record_.blank = number("blank", 0, count);
    record_.unreadable = number("unreadable", 0, count);
    record_.tokens = number("tokens", record_.phrases, record_.phrases * facts.most_tokens);
    if (record_.phrases + record_.blank + record_.unreadable != count) fail("its phrases do not add up");
  }

  // The bytes of a tensor that the layout has.
  const std::byte* values_of(const CorpusTensor& wanted) const {
    const SafetensorsEntry& found = entry_of(wanted.name);
    if (found.dtype != wanted.dtype || found.shape != wanted.shape) {
      fail(fmt::format("{} has another dtype or shape than the layout says", wanted.name));
    }
    return bytes_.data() + header_.data_begin + found.begin;
  }

  const SafetensorsEntry& entry_of(const std::string& name) const {
    const auto& all = header_.entries;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const SafetensorsEntry& entry) { return entry.name == name; });
    if (found == all.end()) fail("there is no tensor " + name);
    return *found;
  }

  void read_tensors() {
    const std::vector<std::int64_t>& heads = entry_of("heads").shape;
    if (heads.size() != 2 || heads[0] < 1 || heads[0] > kMostHeads) fail("the tensor heads is of another shape");
    CorpusSizes sizes;
    sizes.heads = heads[0];
    sizes.query_tokens = length_of("query_tokens.id");
    sizes.key_tokens = length_of("key_tokens.id");
    sizes.words = length_of("words.id");
    sizes.word_bytes = length_of("words.text");
    sizes.patterns = record_.facts.patterns;
    sizes.phrase_loss = record_.facts.phrase_loss;
    if (record_.facts.points > 0) {
      sizes.vectors = record_.facts.vector_sizes;
      sizes.points = length_of("points.phrase");
      sizes.point_bytes = length_of("points.text");
    }
    const std::vector<CorpusTensor> layout = corpus_tensors(sizes);
    const std::size_t tensors = header_.entries.size();
    if (layout.size() != tensors) fail(fmt::format("it has {} tensors; expected {}", tensors, layout.size()));
    for (const CorpusTensor& tensor : layout) tensors_.place(tensor.name, values_of(tensor));
    const HeadTensors heads_of_file(tensors_, sizes.patterns);
    record_.heads.resize(static_cast<std::size_t>(sizes.heads));
    for (std::size_t h = 0; h < record_.heads.size(); ++h) {
      if (const std::string problem = heads_of_file.read(h, record_.heads[h]); !problem.empty()) fail(problem);
    }
    read_tokens("query_tokens", sizes.query_tokens, &HeadRecord::query_tokens);
    read_tokens("key_tokens", sizes.key_tokens, &HeadRecord::key_tokens);
    read_words(sizes);
    record_.loss_tokens = at<std::uint64_t>("loss.tokens", 0);
    record_.loss = tensors_.sum_at("loss.sum", 0);
    if (sizes.phrase_loss) {
      record_.phrase_loss_tokens = at<std::uint64_t>("phrase_loss.tokens", 0);
      record_.phrase_loss = tensors_.sum_at("phrase_loss.sum", 0);
    }
    if (const std::string problem = read_vectors(record_, tensors_, sizes); !problem.empty()) fail(problem);
  }

  // Of a tensor of one axis.
  std::int64_t length_of(const std::string& name) const {
    const std::vector<std::int64_t>& shape = entry_of(name).shape;
    if (shape.size() != 1) fail(fmt::format("{} has {} axes; expected one", name, shape.size()));
    return shape[0];
  }

  // The end of part k of a list of `size`, which follows the one that ends at `begin`.
  std::uint64_t end_at(const std::string& name, std::size_t k, std::uint64_t begin, std::int64_t size) const {
    const auto end = at<std::uint64_t>(name, k);
    if (end < begin || end > static_cast<std::uint64_t>(size)) fail(fmt::format("{} goes back or too far", name));
    return end;
  }

  void read_tokens(const std::string& side, std::int64_t size, TokenCounts HeadRecord::*tokens) {
    std::uint64_t at_token = 0, last = 0;
    for (std::size_t h = 0; h < record_.heads.size(); ++h) {
      const std::uint64_t begin = at_token, end = end_at(side + ".end", h, begin, size);
      for (; at_token < end; ++at_token) {
        const auto id = at<std::uint64_t>(side + ".id", at_token);
        if (at_token > begin && id <= last) fail(side + ".id is not sorted");
        const auto rows = at<std::uint64_t>(side + ".rows", at_token);
        if (rows == 0) fail(side + ".rows holds 0");
        (record_.heads[h].*tokens).add(id, rows);
        last = id;
      }
    }
    if (at_token != static_cast<std::uint64_t>(size)) fail(side + ".end ends early");
  }

  void read_words(const CorpusSizes& sizes) {
    const char* text = reinterpret_cast<const char*>(tensors_.begin_of("words.text"));
    std::uint64_t begin = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(sizes.words); ++k) {
      const std::uint64_t end = end_at("words.end", k, begin, sizes.word_bytes);
      const auto id = at<std::uint64_t>("words.id", k);
      if (!record_.words.empty() && id <= record_.words.rbegin()->first) fail("words.id is not sorted");
      record_.words.emplace(id, std::string(text + begin, end - begin));
      begin = end;
    }
    if (begin != static_cast<std::uint64_t>(sizes.word_bytes)) fail("words.end ends early");
  }

  template <typename Number>
  Number at(const std::string& tensor, std::size_t index) const {
    return tensors_.at<Number>(tensor, index);
  }

  std::span<const std::byte> bytes_;
  const SafetensorsHeader& header_;
  const std::string& what_;
  CorpusRecord record_;
  PlacedTensors tensors_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

CorpusRecord parse_corpus_file(std::span<const std::byte> bytes, const std::string& what) {
  const SafetensorsHeader header = parse_safetensors_header(bytes, what);
  if (!is_corpus(header.metadata)) {
    throw Error(what + ": no .hsagg: expected what headscope-cli scan or merge has written");
  }
  const auto place = corpus_checksum_place(bytes);
  if (!place || text_of(bytes).substr(*place, kChecksumDigits) != corpus_checksum(bytes, *place)) {
    throw Error(what +
                ": its bytes are not those that were written: the checksum in it is another than theirs; scan "
                "or copy it anew");
  }
  const auto found = header.metadata.find("version");
  const std::string version = found == header.metadata.end() ? "" : found->second;
  if (version != kCorpusVersion && version != kVersionWithoutArchitecture && version != kVersionWithoutPatterns) {
    throw Error(fmt::format("{}: is of version {} of the format; this program reads versions {}, {} and {}: {}", what,
                            in_quotes(version), kVersionWithoutPatterns, kVersionWithoutArchitecture, kCorpusVersion,
                            "scan anew"));
  }
  return CorpusReader(bytes, header, what).read();
}

CorpusRecord read_corpus_file(const std::string& path) {
  const auto file = MappedFile::open(path);
  CorpusRecord record = parse_corpus_file(file->bytes(), path);
  file->check_unchanged();
  return record;
}

bool is_corpus(const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find("format");
  return found != metadata.end() && found->second == kCorpusFormat;
}

}  // namespace headscope
