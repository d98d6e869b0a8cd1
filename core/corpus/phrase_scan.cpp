#include "core/corpus/phrase_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/corpus/head_counter.h"
#include "core/corpus/phrase_model.h"
#include "core/corpus/repeated_tokens.h"
#include "core/io/sha256.h"
#include "core/model/architecture.h"
#include "core/request/problem.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct PhraseScan::State {
  PhraseModel model;
  CorpusFacts facts;
  std::vector<std::int64_t> layers;
  std::optional<HeadCounter> counter;

  State(const ScanOptions& options, const CancelToken& cancel) : model(options.model, options.threads, cancel) {}

  std::string count(const ListedPhrase& phrase, const CorpusFacts& of_list, const CancelToken& cancel);
  void count_losses(const std::vector<std::int64_t>& ids, const CancelToken& cancel);
  std::vector<double> losses(const std::vector<std::int64_t>& ids, std::optional<LayerHead> head,
                             const CancelToken& cancel);
  void check_repeated(std::int64_t repeated) const;
  void count_repeated(const ListedPhrase& phrase, const CancelToken& cancel);
};

PhraseScan::PhraseScan(const ScanOptions& options, const CancelToken& cancel)
    : state_(std::make_unique<State>(options, cancel)) {
  State& state = *state_;
  const Architecture& architecture = state.model.architecture();
  state.layers = chosen_numbers("layers", options.layers, architecture.num_layers, options.model);
  VectorsWanted vectors{options.points, {}};
  if (options.points > 0) {
    const std::int64_t keys = architecture.head_dim, values = architecture.value_features();
    vectors.sizes = {keys, keys, values, values};
  }
  state.counter.emplace(state.layers, chosen_numbers("heads", options.heads, architecture.num_heads, options.model),
                        vectors);
  state.check_repeated(options.repeated);
  state.facts = state.model.facts(options.most_tokens, cancel);
  state.facts.repeated = options.repeated;
  state.facts.ablation_sample = options.ablation_sample;
  state.facts.points = vectors.points;
  state.facts.vector_sizes = vectors.sizes;
}

PhraseScan::~PhraseScan() = default;

// UsageError where the model does not take so many tokens twice, with the special ones around them.
void PhraseScan::State::check_repeated(std::int64_t repeated) const {
  if (repeated == 0 || model.architecture().position == Architecture::Position::none) return;
  const std::vector<std::int64_t> words = model.tokenizer().tokenize("a").words;
  const auto special = std::count_if(words.begin(), words.end(), [](std::int64_t word) { return word < 0; });
  const std::int64_t most = (model.architecture().max_positions - special) / 2;
  if (repeated <= most) return;
  throw UsageError("repeated", fmt::format("{} tokens twice are more than {} takes", repeated, model.path()),
                   fmt::format("at most {}", most));
}

void PhraseScan::State::count_repeated(const ListedPhrase& phrase, const CancelToken& cancel) {
  auto ids = repeated_tokens(model.tokenizer(), model.architecture().vocab_size,
                             model.tokenizer().tokenize(phrase.text), phrase.index, facts.repeated);
  if (ids.empty()) return;
  model.run(
      std::move(ids), layers.back(),
      [&](std::int64_t layer, const Trace& trace) { counter->add_repeated(layer, trace, model.threads(), cancel); },
      cancel);
}

CorpusRecord PhraseScan::new_record(const PhraseList& list) const {
  CorpusRecord record;
  record.facts = state_->facts;
  record.facts.list_sha256 = list.sha256();
  record.facts.list_size = list.size();
  record.heads = state_->counter->fresh();
  return record;
}

// ProblemError where one is no number that can be added.
std::vector<double> PhraseScan::State::losses(const std::vector<std::int64_t>& ids, std::optional<LayerHead> head,
                                              const CancelToken& cancel) {
  constexpr double kMostLoss = 1e6;
  std::vector<double> found = model.losses(ids, head, cancel);
  for (const double loss : found) {
    if (!(std::fabs(loss) <= kMostLoss)) {
      throw ProblemError({"ablation-sample", fmt::format("the loss of a token is {}", loss), "", {}});
    }
  }
  return found;
}

// The loss of the phrase, and that without each head.
void PhraseScan::State::count_losses(const std::vector<std::int64_t>& ids, const CancelToken& cancel) {
  std::vector<std::vector<double>> ablated;
  for (const HeadRecord& head : counter->fresh()) {
    cancel.check();
    ablated.push_back(losses(ids, LayerHead{head.layer, head.head}, cancel));
  }
  counter->add_losses(losses(ids, std::nullopt, cancel), ablated);
}

// Counts the phrase; returns why it cannot be read.
std::string PhraseScan::State::count(const ListedPhrase& phrase, const CorpusFacts& of_list,
                                     const CancelToken& cancel) {
  auto [ids, problem] = model.ids_of(phrase, facts.most_tokens);
  if (ids.empty()) return problem;
  CountedPhrase counted{short_sha256(phrase.text), phrase.index, {}, {}};
  for (const std::int64_t id : ids) {
    counted.tokens.push_back(static_cast<std::uint64_t>(id));
    counted.words.push_back(model.tokenizer().piece_of(id));
  }
  counter->begin(std::move(counted));
  try {
    model.run(
        ids, layers.back(),
        [&](std::int64_t layer, const Trace& trace) { counter->add_layer(layer, trace, model.threads(), cancel); },
        cancel);
    if (facts.repeated > 0) count_repeated(phrase, cancel);
    if (in_ablation_sample(phrase.index, of_list)) count_losses(ids, cancel);
  } catch (const ProblemError& error) {  // more than fits in memory, or numbers that cannot be added
    return error.what();
  }
  return "";
}

std::string PhraseScan::add(const ListedPhrase& phrase, CorpusRecord& record, const CancelToken& cancel) {
  const std::string problem = state_->count(phrase, record.facts, cancel);
  record.scanned.add({phrase.index, phrase.index + 1});
  if (phrase.blank || !problem.empty()) {
    ++(phrase.blank ? record.blank : record.unreadable);
  } else {
    state_->counter->add_to(record);
  }
  settle(record);
  return problem;
}

}  // namespace headscope
