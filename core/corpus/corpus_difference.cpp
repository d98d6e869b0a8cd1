#include "core/corpus/corpus_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/assert.h"
#include "core/corpus/head_mean.h"

namespace headscope {
namespace {

std::string heads_sentence(const CorpusRecord& a, const CorpusRecord& b) {
  if (a.heads.size() != b.heads.size()) {
    return fmt::format("the heads differ: {} in A, {} in B", a.heads.size(), b.heads.size());
  }
  for (std::size_t k = 0; k < a.heads.size(); ++k) {
    const HeadRecord &left = a.heads[k], &right = b.heads[k];
    if (left.layer == right.layer && left.head == right.head) continue;
    return fmt::format("the heads differ: {}.{} in A, where B has {}.{}", left.layer, left.head, right.layer,
                       right.head);
  }
  return "";
}

bool same_repeated(const CorpusFacts& a, const CorpusFacts& b) {
  return a.repeated == b.repeated;
}

bool same_sample(const CorpusFacts& a, const CorpusFacts& b) {
  return a.ablation_sample == b.ablation_sample;
}

// What a mean is the mean of: rows of the phrases or of repeated tokens, or tokens of the sample.
enum class MeanOf { phrases, repeated, sample };

MeanOf kind_of(std::size_t mean) {
  if (all_head_means()[mean].metric) return MeanOf::phrases;
  return mean < kCorpusMetrics + kRepeatedMetrics.size() ? MeanOf::repeated : MeanOf::sample;
}

bool is_in_both(const CorpusRecord& a, const CorpusRecord& b, std::size_t mean) {
  if (!holds(a, mean) || !holds(b, mean)) return false;
  if (kind_of(mean) == MeanOf::repeated) return same_repeated(a.facts, b.facts);
  return kind_of(mean) == MeanOf::phrases || same_sample(a.facts, b.facts);
}

std::uint64_t rows_of(const CorpusRecord& record, const HeadRecord& head, std::size_t mean) {
  switch (kind_of(mean)) {
    case MeanOf::phrases:
      return head.counts[static_cast<std::size_t>(*all_head_means()[mean].metric)];
    case MeanOf::repeated:
      return head.repeated.counts[mean - kCorpusMetrics];
    case MeanOf::sample:
      break;
  }
  return record.loss_tokens;
}

// Of the finite ones of both; 0 of none.
double spread_of(const CorpusRecord& a, const CorpusRecord& b, std::size_t mean) {
  std::vector<double> values;
  for (const CorpusRecord* record : {&a, &b}) {
    for (const HeadRecord& head : record->heads) {
      const double value = head_mean(*record, head, mean);
      if (std::isfinite(value)) values.push_back(value);
    }
  }
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double middle = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - middle) * (value - middle);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

double share_of_spread(double a, double b, double spread) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::fabs(a - b);
  return std::isfinite(apart) && spread > 0 ? apart / spread : std::numeric_limits<double>::infinity();
}

std::vector<std::string> notes_of(const CorpusRecord& a, const CorpusRecord& b) {
  const CorpusFacts &x = a.facts, &y = b.facts;
  std::vector<std::string> notes;
  if (x.sha256 == y.sha256 && x.architecture == y.architecture) notes.emplace_back("A and B are of the same model");
  if (x.tokenizer != y.tokenizer) {
    notes.push_back(fmt::format("the tokenizers differ: {} in A, {} in B; rows are of the tokens of each", x.tokenizer,
                                y.tokenizer));
  }
  if (!same_repeated(x, y)) {
    notes.push_back(fmt::format("repeated random tokens (--repeated) are {} in A, {} in B: their means are left out",
                                x.repeated, y.repeated));
  }
  if (!same_sample(x, y)) {
    notes.push_back(fmt::format(
        "phrases that are run without each head (--ablation-sample) are {} in A, {} in B: loss_ablated is left out",
        x.ablation_sample, y.ablation_sample));
  }
  return notes;
}

}  // namespace

std::string unlike_corpora_sentence(const CorpusRecord& a, const CorpusRecord& b) {
  const CorpusFacts &x = a.facts, &y = b.facts;
  if (x.list_size != y.list_size) {
    return fmt::format("the lists of phrases differ: of {} phrases in A, of {} in B", x.list_size, y.list_size);
  }
  if (x.list_sha256 != y.list_sha256) {
    return fmt::format("the lists of phrases differ: sha256 {} in A, {} in B", x.list_sha256, y.list_sha256);
  }
  if (x.most_tokens != y.most_tokens) {
    return fmt::format("of a phrase (--tokens) at most {} tokens are read in A, {} in B", x.most_tokens, y.most_tokens);
  }
  if (a.scanned != b.scanned) {
    return fmt::format("the phrases that were scanned differ: {} in A, {} in B", a.scanned.text(), b.scanned.text());
  }
  if (std::string heads = heads_sentence(a, b); !heads.empty()) return heads;
  if (a.phrases != b.phrases) {
    return fmt::format("the phrases that could be read differ: {} in A, {} in B", a.phrases, b.phrases);
  }
  if (a.tokens != b.tokens) {
    return fmt::format("the phrases are {} tokens in A, {} in B: their tokenizers cut them otherwise", a.tokens,
                       b.tokens);
  }
  return "";
}

CorpusDifference corpus_difference(const CorpusRecord& a, const CorpusRecord& b) {
  HEADSCOPE_ASSERT(unlike_corpora_sentence(a, b).empty(), "other corpora");
  CorpusDifference found;
  found.notes = notes_of(a, b);
  std::vector<std::size_t> means;
  for (std::size_t mean = 0; mean < all_head_means().size(); ++mean) {
    if (!is_in_both(a, b, mean)) continue;
    means.push_back(mean);
    found.means.push_back({all_head_means()[mean].key, spread_of(a, b, mean)});
  }
  for (std::size_t h = 0; h < a.heads.size(); ++h) {
    const HeadRecord &left = a.heads[h], &right = b.heads[h];
    CorpusDifference::Head head{left.layer, left.head, left.rows, right.rows, {}, 0};
    for (std::size_t k = 0; k < means.size(); ++k) {
      const double x = head_mean(a, left, means[k]), y = head_mean(b, right, means[k]);
      head.numbers.push_back({x, y, rows_of(a, left, means[k]), rows_of(b, right, means[k]),
                              share_of_spread(x, y, found.means[k].spread)});
      if (head.numbers[k].share > head.share()) head.farthest = k;
    }
    found.heads.push_back(std::move(head));
  }
  std::stable_sort(found.heads.begin(), found.heads.end(),
                   [](const auto& one, const auto& other) { return one.share() > other.share(); });
  return found;
}

}  // namespace headscope
