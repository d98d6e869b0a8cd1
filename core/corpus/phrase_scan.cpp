#include "core/corpus/phrase_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/corpus/phrase_model.h"
#include "core/heads/token_places.h"
#include "core/io/sha256.h"
#include "core/model/architecture.h"
#include "core/request/problem.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsBetweenChecks = 256;

// The numbers that were asked for, sorted, each once; all where none was.
std::vector<std::int64_t> chosen(const char* option, std::vector<std::int64_t> asked, std::int64_t count,
                                 const std::string& model) {
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  if (!asked.empty() && (asked.front() < 0 || asked.back() >= count)) {
    throw UsageError(
        option,
        fmt::format("{} was given, but {} has {}", asked.front() < 0 ? asked.front() : asked.back(), model, count),
        fmt::format("0 to {}", count - 1));
  }
  if (asked.empty()) {
    asked.resize(static_cast<std::size_t>(count));
    std::iota(asked.begin(), asked.end(), 0);
  }
  return asked;
}

}  // namespace

struct PhraseScan::State {
  PhraseModel model;
  CorpusFacts facts;
  std::vector<std::int64_t> layers;
  std::vector<HeadRecord> fresh;                 // every head that is counted, sorted, with nothing in it
  std::vector<HeadRecord> counted;               // of the phrase in work
  std::map<std::int64_t, std::size_t> first_of;  // where a layer's heads begin among them
  std::size_t heads_each = 0;

  State(const ScanOptions& options, const CancelToken& cancel) : model(options.model, options.threads, cancel) {}

  void add_layer(std::int64_t layer, const Trace& trace, const CorpusExample& place, const CancelToken& cancel);
  std::pair<std::string, std::int64_t> count(const ListedPhrase& phrase, const CancelToken& cancel);
};

// All rows of the layer's heads, each head by one thread, and the strongest weight of each as an example.
void PhraseScan::State::add_layer(std::int64_t layer, const Trace& trace, const CorpusExample& place,
                                  const CancelToken& cancel) {
  const auto first = first_of.find(layer);
  if (first == first_of.end()) return;
  const TokenPlaces places(trace);
  const Tensor& weights = trace.tensor(StageId::weights);
  // Of learned sinks, [heads, queries]; empty without.
  std::vector<float> sink_shares;
  if (const Stage* sinks = trace.find(StageId::sink_weights)) sink_shares = sinks->tensor.sliced(0, 0, 1).values();
  const auto count = static_cast<std::int64_t>(heads_each);
  model.threads().run(count, weights.stored(), [&](std::int64_t k) {
    HeadRecord& record = counted[first->second + static_cast<std::size_t>(k)];
    CorpusExample strongest = place;
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

PhraseScan::PhraseScan(const ScanOptions& options, const CancelToken& cancel)
    : state_(std::make_unique<State>(options, cancel)) {
  State& state = *state_;
  const Architecture& architecture = state.model.architecture();
  state.layers = chosen("layers", options.layers, architecture.num_layers, options.model);
  const auto heads = chosen("heads", options.heads, architecture.num_heads, options.model);
  state.heads_each = heads.size();
  for (const std::int64_t layer : state.layers) {
    state.first_of[layer] = state.fresh.size();
    for (const std::int64_t head : heads) state.fresh.emplace_back(layer, head);
  }
  state.counted = state.fresh;
  state.facts = state.model.facts(options.most_tokens, cancel);
}

PhraseScan::~PhraseScan() = default;

CorpusRecord PhraseScan::new_record(const PhraseList& list) const {
  CorpusRecord record;
  record.facts = state_->facts;
  record.facts.list_sha256 = list.sha256();
  record.facts.list_size = list.size();
  record.heads = state_->fresh;
  return record;
}

// Counts the phrase into `counted`, and returns its number of tokens; or why it cannot be read, and 0.
std::pair<std::string, std::int64_t> PhraseScan::State::count(const ListedPhrase& phrase, const CancelToken& cancel) {
  auto [ids, problem] = model.ids_of(phrase, facts.most_tokens);
  if (ids.empty()) return {problem, 0};
  const auto tokens = static_cast<std::int64_t>(ids.size());
  CorpusExample place;
  place.hash = short_sha256(phrase.text);
  place.phrase = phrase.index;
  for (HeadRecord& head : counted) head.clear();
  try {
    model.run(
        std::move(ids), layers.back(),
        [&](std::int64_t layer, const Trace& trace) { add_layer(layer, trace, place, cancel); }, cancel);
  } catch (const ProblemError& error) {  // more than fits in memory
    return {error.what(), 0};
  }
  return {"", tokens};
}

std::string PhraseScan::add(const ListedPhrase& phrase, CorpusRecord& record, const CancelToken& cancel) {
  const auto [problem, tokens] = state_->count(phrase, cancel);
  record.scanned.add({phrase.index, phrase.index + 1});
  if (phrase.blank || !problem.empty()) {
    ++(phrase.blank ? record.blank : record.unreadable);
    return problem;
  }
  for (std::size_t k = 0; k < record.heads.size(); ++k) record.heads[k].add(state_->counted[k]);
  ++record.phrases;
  record.tokens += tokens;
  return "";
}

}  // namespace headscope
