#include "core/corpus/phrase_scan.h"

#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/corpus/head_counter.h"
#include "core/corpus/phrase_model.h"
#include "core/io/sha256.h"
#include "core/model/architecture.h"
#include "core/request/problem.h"

namespace headscope {

struct PhraseScan::State {
  PhraseModel model;
  CorpusFacts facts;
  std::vector<std::int64_t> layers;
  std::optional<HeadCounter> counter;

  State(const ScanOptions& options, const CancelToken& cancel) : model(options.model, options.threads, cancel) {}

  std::pair<std::string, std::int64_t> count(const ListedPhrase& phrase, const CancelToken& cancel);
};

PhraseScan::PhraseScan(const ScanOptions& options, const CancelToken& cancel)
    : state_(std::make_unique<State>(options, cancel)) {
  State& state = *state_;
  const Architecture& architecture = state.model.architecture();
  state.layers = chosen_numbers("layers", options.layers, architecture.num_layers, options.model);
  state.counter.emplace(state.layers, chosen_numbers("heads", options.heads, architecture.num_heads, options.model));
  state.facts = state.model.facts(options.most_tokens, cancel);
}

PhraseScan::~PhraseScan() = default;

CorpusRecord PhraseScan::new_record(const PhraseList& list) const {
  CorpusRecord record;
  record.facts = state_->facts;
  record.facts.list_sha256 = list.sha256();
  record.facts.list_size = list.size();
  record.heads = state_->counter->fresh();
  return record;
}

// Counts the phrase, and returns its number of tokens; or why it cannot be read, and 0.
std::pair<std::string, std::int64_t> PhraseScan::State::count(const ListedPhrase& phrase, const CancelToken& cancel) {
  auto [ids, problem] = model.ids_of(phrase, facts.most_tokens);
  if (ids.empty()) return {problem, 0};
  const auto tokens = static_cast<std::int64_t>(ids.size());
  CorpusExample place;
  place.hash = short_sha256(phrase.text);
  place.phrase = phrase.index;
  counter->begin(place);
  try {
    model.run(
        std::move(ids), layers.back(),
        [&](std::int64_t layer, const Trace& trace) { counter->add_layer(layer, trace, model.threads(), cancel); },
        cancel);
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
  state_->counter->add_to(record, tokens);
  return "";
}

}  // namespace headscope
