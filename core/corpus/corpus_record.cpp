#include "core/corpus/corpus_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/assert.h"
#include "core/model/architecture_text.h"

namespace headscope {
namespace {

std::string heads_text(const CorpusRecord& record) {
  std::string text;
  for (std::size_t k = 0; k < record.heads.size() && k < 4; ++k) {
    text += fmt::format("{}{}.{}", k == 0 ? "" : ",", record.heads[k].layer, record.heads[k].head);
  }
  return fmt::format("{}{} ({})", text, record.heads.size() > 4 ? ",..." : "", record.heads.size());
}

bool same_heads(const CorpusRecord& a, const CorpusRecord& b) {
  return std::equal(a.heads.begin(), a.heads.end(), b.heads.begin(), b.heads.end(),
                    [](const HeadRecord& x, const HeadRecord& y) { return x.layer == y.layer && x.head == y.head; });
}

// Of the settings of two models that have the same weights.
std::string difference_of_settings(const CorpusFacts& a, const CorpusFacts& b) {
  if (a.architecture == b.architecture) return "";
  if (a.architecture.empty() || b.architecture.empty()) {
    const bool here = !a.architecture.empty();
    return fmt::format("the settings of the model are {}, there {}: scan anew",
                       here ? "known" : "not known (an older file)",
                       here ? "they are not (an older file)" : "they are");
  }
  return fmt::format("the settings of the model differ (its config.json): {}",
                     architecture_difference(a.architecture, b.architecture));
}

}  // namespace

std::string difference_of(const CorpusRecord& a, const CorpusRecord& b) {
  const auto said = [](const char* what, const auto& x, const auto& y) {
    return fmt::format("{} {}, there {}", what, x, y);
  };
  const CorpusFacts &x = a.facts, &y = b.facts;
  if (x.sha256 != y.sha256) {
    return said("the model is", fmt::format("{} (sha256 {})", x.model, x.sha256),
                fmt::format("{} (sha256 {})", y.model, y.sha256));
  }
  if (std::string settings = difference_of_settings(x, y); !settings.empty()) return settings;
  if (x.tokenizer != y.tokenizer) return said("the tokenizer is", x.tokenizer, y.tokenizer);
  if (x.most_tokens != y.most_tokens) return said("--tokens is", x.most_tokens, y.most_tokens);
  if (x.repeated != y.repeated) return said("--repeated is", x.repeated, y.repeated);
  if (x.ablation_sample != y.ablation_sample) return said("--ablation-sample is", x.ablation_sample, y.ablation_sample);
  if (x.phrase_loss != y.phrase_loss) {
    return said("the loss of all phrases (--loss) is", x.phrase_loss ? "counted" : "not counted",
                y.phrase_loss ? "it is" : "it is not");
  }
  if (x.points != y.points) return said("--points is", x.points, y.points);
  if (x.vector_sizes != y.vector_sizes) {
    return said("query, key, value and output have so many numbers:", vector_sizes_text(x.vector_sizes),
                vector_sizes_text(y.vector_sizes));
  }
  if (x.patterns != y.patterns) {
    return said("a mean pattern of each head is", x.patterns ? "counted" : "not counted (an older file)",
                y.patterns ? "it is counted" : "it is not (an older file): scan anew");
  }
  if (!same_heads(a, b)) return said("the heads are", heads_text(a), heads_text(b));
  if (x.list_size != y.list_size) return said("the list of phrases has", x.list_size, y.list_size);
  if (x.list_sha256 != y.list_sha256) return said("the list of phrases has the sha256", x.list_sha256, y.list_sha256);
  if (const auto both = a.scanned.shared_with(b.scanned)) {
    return fmt::format("phrases {} to {} are in both", both->begin, both->end - 1);
  }
  return "";
}

bool in_ablation_sample(std::int64_t index, const CorpusFacts& facts) {
  const std::int64_t size = facts.list_size, sample = std::min(facts.ablation_sample, size);
  if (sample == 0) return false;
  const std::int64_t k = (index * sample + size - 1) / size;  // the first whose place is not before the index
  return k < sample && k * size / sample == index;
}

void add_word(CorpusRecord& record, std::uint64_t token, const std::string& text) {
  const auto [place, is_new] = record.words.emplace(token, text);
  if (!is_new && text < place->second) place->second = text;
}

void add_points(CorpusRecord& record, std::span<const PointPlace> places, std::span<const HeadRecord> heads) {
  add_drawn({record.points, record.heads}, places, heads, record.facts.points);
}

void settle(CorpusRecord& record) {
  if (record.scanned.count() != record.facts.list_size) return;
  std::set<std::uint64_t> kept;
  for (HeadRecord& head : record.heads) {
    for (TokenCounts* counts : {&head.query_tokens, &head.key_tokens}) {
      counts->keep(kKeptTokens);
      for (const TokenCount& count : counts->all()) kept.insert(count.token);
    }
  }
  std::erase_if(record.words, [&kept](const auto& word) { return !kept.contains(word.first); });
}

void add(CorpusRecord& record, const CorpusRecord& other) {
  HEADSCOPE_ASSERT(difference_of(record, other).empty(), difference_of(record, other));
  record.facts.model = std::min(record.facts.model, other.facts.model);
  record.scanned.add(other.scanned);
  record.phrases += other.phrases;
  record.tokens += other.tokens;
  record.blank += other.blank;
  record.unreadable += other.unreadable;
  record.loss_tokens += other.loss_tokens;
  record.loss.add(other.loss);
  record.phrase_loss_tokens += other.phrase_loss_tokens;
  record.phrase_loss.add(other.phrase_loss);
  add_points(record, other.points, other.heads);
  for (std::size_t k = 0; k < record.heads.size(); ++k) record.heads[k].add(other.heads[k]);
  for (const auto& [token, text] : other.words) add_word(record, token, text);
  settle(record);
}

}  // namespace headscope
