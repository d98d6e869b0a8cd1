#include "core/corpus/head_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/heads/token_places.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsBetweenChecks = 256;

}  // namespace

HeadCounter::HeadCounter(const std::vector<std::int64_t>& layers, const std::vector<std::int64_t>& heads)
    : heads_each_(heads.size()) {
  for (const std::int64_t layer : layers) {
    first_of_[layer] = fresh_.size();
    for (const std::int64_t head : heads) fresh_.emplace_back(layer, head);
  }
  counted_ = fresh_;
}

void HeadCounter::begin(const CorpusExample& place) {
  place_ = place;
  for (HeadRecord& head : counted_) head.clear();
}

void HeadCounter::add_layer(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel) {
  const auto first = first_of_.find(layer);
  if (first == first_of_.end()) return;
  const TokenPlaces places(trace);
  const Tensor& weights = trace.tensor(StageId::weights);
  // Of learned sinks, [heads, queries]; empty without.
  std::vector<float> sink_shares;
  if (const Stage* sinks = trace.find(StageId::sink_weights)) sink_shares = sinks->tensor.sliced(0, 0, 1).values();
  const auto count = static_cast<std::int64_t>(heads_each_);
  threads.run(count, weights.stored(), [&](std::int64_t k) {
    HeadRecord& record = counted_[first->second + static_cast<std::size_t>(k)];
    CorpusExample strongest = place_;
    for_each_row(matrix_at(weights, 0, record.head), [&](const Index&, std::int64_t i, std::span<const float> w) {
      if (i % kRowsBetweenChecks == 0) cancel.check();
      std::optional<double> share;
      if (!sink_shares.empty()) share = sink_shares[static_cast<std::size_t>(record.head * trace.query_len() + i)];
      const CorpusRow row = corpus_row(i, w, trace.mask->hidden.visible_count(0, record.head, i), places, share);
      record.add(row);
      if (!row.sees_two || row.largest <= strongest.value) return;
      strongest.value = row.largest;
      strongest.query = i;
      strongest.key = std::find(w.begin(), w.end(), row.largest) - w.begin();
    });
    if (strongest.value > 0) record.add(strongest);
  });
}

void HeadCounter::add_to(CorpusRecord& record, std::int64_t tokens) const {
  for (std::size_t k = 0; k < record.heads.size(); ++k) record.heads[k].add(counted_[k]);
  ++record.phrases;
  record.tokens += tokens;
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
