#include "core/corpus/corpus_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/base/utf8.h"
#include "core/corpus/vector_tensors.h"

namespace headscope {
namespace {

constexpr std::uint64_t kMostRepeatedRows = std::uint64_t{1} << 26;  // a phrase

// Each check returns why a head is broken, or null.

const char* broken_counts(const HeadRecord& head, const CorpusRecord& record) {
  if (head.layer < 0 || head.head < 0) return "its number is below 0";
  if (head.rows > static_cast<std::uint64_t>(record.tokens)) return "it has more rows than there are tokens";
  for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
    if (head.counts[k] > head.rows) return "it counts more rows than it has";
    if (head.counts[k] == 0 && head.sums[k] != ExactSum()) return "a sum of no row is not 0";
    if (head.histograms[k].empty()) continue;
    std::uint64_t rows = 0;
    for (const std::uint64_t count : head.histograms[k]) {
      if (count > head.counts[k] - rows) return "a histogram has more rows than its metric";
      rows += count;
    }
    if (rows != head.counts[k]) return "a histogram has fewer rows than its metric";
  }
  return nullptr;
}

const char* broken_repeated(const HeadRecord& head, const CorpusRecord& record) {
  const RepeatedRecord& repeated = head.repeated;
  if (record.facts.repeated == 0 && repeated != RepeatedRecord()) return "it counts repeated tokens, and none were run";
  if (repeated.rows > static_cast<std::uint64_t>(record.phrases) * kMostRepeatedRows)
    return "it has too many repeated rows";
  for (std::size_t k = 0; k < kRepeatedMetrics.size(); ++k) {
    if (repeated.counts[k] > repeated.rows) return "it counts more repeated rows than it has";
    if (repeated.counts[k] == 0 && repeated.sums[k] != ExactSum()) return "a sum of no repeated row is not 0";
  }
  return nullptr;
}

const char* broken_pattern(const HeadRecord& head) {
  std::uint64_t rows = 0;
  for (std::size_t query = 0; query < kPatternParts; ++query) {
    if (head.pattern.rows[query] > head.rows - rows) return "its pattern has more rows than it has";
    rows += head.pattern.rows[query];
    for (std::size_t key = 0; key < kPatternParts; ++key) {
      const ExactSum& sum = head.pattern.sums[query * kPatternParts + key];
      if (head.pattern.rows[query] == 0 && sum != ExactSum()) return "a sum of its pattern over no row is not 0";
    }
  }
  return nullptr;
}

std::string broken_loss(const CorpusRecord& record) {
  if (record.loss_tokens > static_cast<std::uint64_t>(record.tokens)) return "it has more losses than tokens";
  if (record.facts.ablation_sample == 0 && record.loss_tokens > 0) return "it has losses, and no sample";
  if (record.phrase_loss_tokens > static_cast<std::uint64_t>(record.tokens)) return "it has more losses than tokens";
  if (record.phrase_loss_tokens == 0 && record.phrase_loss != ExactSum()) return "a loss of no token is not 0";
  if (record.loss_tokens > 0) return "";
  for (const HeadRecord& head : record.heads) {
    if (head.ablated_loss != ExactSum()) return "a loss of no token is not 0";
  }
  return record.loss == ExactSum() ? "" : "a loss of no token is not 0";
}

bool at_no_place(const CorpusExample& example, const CorpusFacts& facts) {
  return !std::isfinite(example.value) || example.phrase >= facts.list_size || example.query < 0 || example.key < 0 ||
         std::max(example.query, example.key) >= facts.most_tokens;
}

const char* broken_examples(const HeadRecord& head, const CorpusRecord& record) {
  for (std::size_t k = 0; k < head.top.size(); ++k) {
    if (at_no_place(head.top[k], record.facts)) return "an example is at no place of a phrase";
    if (k > 0 && !comes_before(head.top[k - 1], head.top[k])) return "its examples are not in order";
  }
  for (std::size_t d = 0; d < kDeciles; ++d) {
    const std::vector<CorpusExample>& rows = head.samples[d];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (at_no_place(rows[k], record.facts)) return "a sample is at no place of a phrase";
      if (decile_of(rows[k].value) != d) return "a sample is of another tenth";
      if (k > 0 && !is_drawn_before(rows[k - 1], rows[k])) return "its samples are not in order";
    }
  }
  return nullptr;
}

const char* broken_tokens(const HeadRecord& head, const CorpusRecord& record, bool whole) {
  if (head.pointing > head.rows) return "more rows point at a token than it has";
  for (const TokenCounts* counts : {&head.query_tokens, &head.key_tokens}) {
    std::uint64_t rows = 0;
    for (const TokenCount& count : counts->all()) {
      if (count.rows > head.pointing - rows) return "its tokens have more rows than point at one";
      rows += count.rows;
      if (!record.words.contains(count.token)) return "a token has no text";
    }
    if (whole && counts->all().size() > kKeptTokens) return "it has more tokens than a whole scan keeps";
    const bool all = !whole || counts->all().size() < kKeptTokens;
    if (all && rows != head.pointing) return "its tokens have fewer rows than point at one";
  }
  return nullptr;
}

std::string broken_words(const CorpusRecord& record) {
  std::set<std::uint64_t> counted;
  for (const HeadRecord& head : record.heads) {
    for (const TokenCounts* counts : {&head.query_tokens, &head.key_tokens}) {
      for (const TokenCount& count : counts->all()) counted.insert(count.token);
    }
  }
  for (const auto& [token, text] : record.words) {
    if (!counted.contains(token)) return fmt::format("token {} has a text and no head counts it", token);
    if (first_invalid_byte(text) != text.npos) return fmt::format("the text of token {} is no UTF-8", token);
  }
  return "";
}

}  // namespace

std::string problem_of(const CorpusRecord& record) {
  for (std::size_t h = 1; h < record.heads.size(); ++h) {
    const HeadRecord &a = record.heads[h - 1], &b = record.heads[h];
    if (std::tie(a.layer, a.head) >= std::tie(b.layer, b.head)) return "its heads are not sorted";
  }
  const bool whole = record.scanned.count() == record.facts.list_size;
  for (const HeadRecord& head : record.heads) {
    for (const char* why : {broken_counts(head, record), broken_repeated(head, record), broken_examples(head, record),
                            broken_tokens(head, record, whole), broken_pattern(head)}) {
      if (why != nullptr) return fmt::format("head {}.{}: {}", head.layer, head.head, why);
    }
  }
  for (const std::string& why : {broken_loss(record), problem_of_vectors(record)}) {
    if (!why.empty()) return why;
  }
  return broken_words(record);
}

}  // namespace headscope
