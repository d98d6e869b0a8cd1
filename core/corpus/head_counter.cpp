#include "core/corpus/head_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/heads/sink_shares.h"
#include "core/heads/token_places.h"
#include "core/tensor/row_strips.h"
#include "core/tensor/row_sums.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsBetweenChecks = 256;

}  // namespace

HeadCounter::HeadCounter(const std::vector<std::int64_t>& layers, const std::vector<std::int64_t>& heads,
                         VectorsWanted vectors)
    : heads_each_(heads.size()), vectors_(vectors) {
  check_wanted(vectors_);
  for (const std::int64_t layer : layers) {
    first_of_[layer] = fresh_.size();
    for (const std::int64_t head : heads) fresh_.emplace_back(layer, head);
  }
  for (HeadRecord& head : fresh_) {
    if (vectors_.points == 0) break;
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) head.vectors[kind] = HeadVectors(vectors_.sizes[kind]);
  }
  counted_ = fresh_;
}

void HeadCounter::begin(CountedPhrase phrase) {
  phrase_ = std::move(phrase);
  loss_tokens_ = 0;
  loss_ = {};
  phrase_loss_tokens_ = 0;
  phrase_loss_ = {};
  for (HeadRecord& head : counted_) head.clear();
  draw_points();
}

// Of the phrase's positions those that are drawn first: no others can be among the first of the list.
void HeadCounter::draw_points() {
  points_.clear();
  slots_.assign(phrase_.tokens.size(), -1);
  if (vectors_.points == 0) return;
  for (std::size_t k = 0; k < phrase_.tokens.size(); ++k) {
    points_.push_back({phrase_.index, static_cast<std::int64_t>(k), phrase_.tokens[k], phrase_.hash, phrase_.words[k]});
  }
  std::sort(points_.begin(), points_.end(), is_point_before);
  points_.resize(std::min(points_.size(), static_cast<std::size_t>(vectors_.points)));
  for (std::size_t k = 0; k < points_.size(); ++k) {
    slots_[static_cast<std::size_t>(points_[k].position)] = static_cast<std::int64_t>(k);
  }
}

// The row as an example of the phrase's strongest weight, as a sample, and as one that points at a token.
void HeadCounter::add_row(HeadRecord& head, const CorpusRow& row, std::int64_t i, std::span<const float> w) const {
  const auto key = static_cast<std::int64_t>(place_in_row(w, row.largest));
  const CorpusExample example{row.largest, phrase_.hash, phrase_.index, i, key};
  // Of a phrase only the strongest weight is an example, of equal ones the first.
  if (row.largest > (head.top.empty() ? 0.0F : head.top[0].value)) head.top = {example};
  head.add_sample(example);
  const auto tokens = static_cast<std::int64_t>(phrase_.tokens.size());
  if (row.largest < kPoints || i >= tokens || key >= tokens) return;  // a key of bias_k is no token
  head.add_pointing(phrase_.tokens[static_cast<std::size_t>(i)], phrase_.tokens[static_cast<std::size_t>(key)]);
}

template <typename F>
void HeadCounter::each_row(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel,
                           const F& f) {
  const auto first = first_of_.find(layer);
  if (first == first_of_.end()) return;
  const TokenPlaces places(trace);
  const Tensor& weights = trace.tensor(StageId::weights);
  const auto count = static_cast<std::int64_t>(heads_each_);
  threads.run(count, weights.stored(), [&](std::int64_t k) {
    HeadRecord& head = counted_[first->second + static_cast<std::size_t>(k)];
    SinkShares sink_shares(trace, 0, head.head);
    for_each_row(matrix_at(weights, 0, head.head), [&](const Index&, std::int64_t i, std::span<const float> w) {
      if (i % kRowsBetweenChecks == 0) cancel.check();
      const std::int64_t visible_keys = trace.mask->hidden.visible_count(0, head.head, i);
      f(head, i, w, corpus_row(i, w, visible_keys, places, sink_shares.of(i)));
    });
  });
}

void HeadCounter::add_layer(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel) {
  each_row(layer, trace, threads, cancel,
           [&](HeadRecord& head, std::int64_t i, std::span<const float> w, const CorpusRow& row) {
             head.add(row);
             if (!row.has_nan) head.pattern.add_row(i, trace.query_len(), w);
             if (row.has_choice) add_row(head, row, i, w);
           });
  const auto first = first_of_.find(layer);
  if (vectors_.points == 0 || first == first_of_.end()) return;
  threads.run(static_cast<std::int64_t>(heads_each_), trace.tensor(StageId::weights).stored(), [&](std::int64_t k) {
    cancel.check();
    add_vectors(counted_[first->second + static_cast<std::size_t>(k)], trace, vectors_.sizes, slots_);
  });
}

void HeadCounter::add_repeated(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel) {
  each_row(
      layer, trace, threads, cancel,
      [](HeadRecord& head, std::int64_t, std::span<const float>, const CorpusRow& row) { head.repeated.add(row); });
}

void HeadCounter::add_losses(const std::vector<double>& losses, const std::vector<std::vector<double>>& ablated) {
  loss_tokens_ = losses.size();
  for (const double loss : losses) loss_.add(loss);
  for (std::size_t k = 0; k < ablated.size(); ++k) {
    for (const double loss : ablated[k]) counted_[k].ablated_loss.add(loss);
  }
}

void HeadCounter::add_phrase_losses(const std::vector<double>& losses) {
  phrase_loss_tokens_ = losses.size();
  for (const double loss : losses) phrase_loss_.add(loss);
}

// Whether a head of the phrase counts the token.
bool HeadCounter::is_counted(std::uint64_t token) const {
  return std::any_of(counted_.begin(), counted_.end(), [token](const HeadRecord& head) {
    return head.query_tokens.contains(token) || head.key_tokens.contains(token);
  });
}

void HeadCounter::add_to(CorpusRecord& record) const {
  for (std::size_t k = 0; k < phrase_.tokens.size(); ++k) {
    // Mostly it is known: heads are only asked for a new text.
    const auto known = record.words.find(phrase_.tokens[k]);
    if (known != record.words.end() && known->second <= phrase_.words[k]) continue;
    if (is_counted(phrase_.tokens[k])) add_word(record, phrase_.tokens[k], phrase_.words[k]);
  }
  add_points(record, points_, counted_);
  for (std::size_t k = 0; k < record.heads.size(); ++k) record.heads[k].add(counted_[k]);
  record.loss_tokens += loss_tokens_;
  record.loss.add(loss_);
  record.phrase_loss_tokens += phrase_loss_tokens_;
  record.phrase_loss.add(phrase_loss_);
  ++record.phrases;
  record.tokens += static_cast<std::int64_t>(phrase_.tokens.size());
}

std::vector<std::int64_t> chosen_numbers(const char* option, std::vector<std::int64_t> asked, std::int64_t count,
                                         const std::string& whose) {
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  if (!asked.empty() && (asked.front() < 0 || asked.back() >= count)) {
    throw UsageError(
        option,
        fmt::format("{} was given, but {} has {}", asked.front() < 0 ? asked.front() : asked.back(), whose, count),
        fmt::format("0 to {}", count - 1));
  }
  if (asked.empty()) {
    asked.resize(static_cast<std::size_t>(count));
    std::iota(asked.begin(), asked.end(), 0);
  }
  return asked;
}

}  // namespace headscope
