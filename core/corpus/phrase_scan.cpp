#include "core/corpus/phrase_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/system/machine.h"
#include "core/base/thread_pool.h"
#include "core/base/turns.h"
#include "core/corpus/head_counter.h"
#include "core/corpus/phrase_model.h"
#include "core/corpus/repeated_tokens.h"
#include "core/io/sha256.h"
#include "core/model/architecture.h"
#include "core/request/problem.h"
#include "core/text/tokenizer.h"

namespace headscope {

namespace {

// What losses() of a phrase gives its layers to.
const PhraseModel::EachLayer kNoLayer = [](std::int64_t, const Trace&) {};

// Of a model whose weights are at most so many bytes each phrase is counted by one thread, and threads count phrases
// side by side: its products are too small for two threads to gain what handing over costs them.
constexpr std::int64_t kSmallModel = std::int64_t{64} << 20;
// But longer phrases go to all threads, one after the other: each holds its maps in memory.
constexpr std::size_t kSideBySideTokens = 1024;
// Phrases for each thread, so that none waits long for the last one.
constexpr std::size_t kPhrasesEach = 4;

// Threads that count phrases side by side; 1: none do.
int decided_threads(const ScanOptions& options, std::int64_t weight_bytes) {
  if (options.batch > 0 || weight_bytes > kSmallModel) return 1;
  return options.threads > 0 ? options.threads : hardware_threads();
}

std::size_t decided_batch(const ScanOptions& options, std::int64_t weight_bytes) {
  if (options.batch > 0) return static_cast<std::size_t>(options.batch);
  if (const int threads = decided_threads(options, weight_bytes); threads > 1) {
    return kPhrasesEach * static_cast<std::size_t>(threads);
  }
  const double memory = system::memory_of_machine();
  return memory > 0 && static_cast<double>(weight_bytes) > memory ? kLargeBatch : 1;
}

}  // namespace

struct PhraseScan::State {
  PhraseModel model;
  CorpusFacts facts;
  std::vector<std::int64_t> layers;
  std::vector<HeadCounter> counters;                   // one a phrase of a batch
  std::vector<std::unique_ptr<PhraseModel>> each_own;  // the same model for each thread that counts phrases by itself
  ThreadPool threads;

  State(const ScanOptions& options, const CancelToken& cancel)
      : model(options.model, options.threads, cancel), threads(options.threads) {}

  // A phrase in work: the model, its place in the batch, and what it calls before every layer.
  struct Lane {
    PhraseModel& model;
    std::size_t number = 0;
    Pause pause;
    HeadCounter& counter;
    PhraseModel::Run run(std::vector<std::int64_t> ids) const { return {std::move(ids), number, pause}; }
  };
  using Problems = std::vector<std::string>;
  void count_by_turns(std::span<const ListedPhrase> phrases, const CorpusFacts& of_list, Problems& problems,
                      const CancelToken& cancel);
  void count_side_by_side(std::span<const ListedPhrase> phrases, const CorpusFacts& of_list, Problems& problems,
                          const CancelToken& cancel);
  std::string count(const ListedPhrase& phrase, std::vector<std::int64_t> ids, const CorpusFacts& of_list,
                    const Lane& lane, const CancelToken& cancel);
  void count_layers(const std::vector<std::int64_t>& ids, const Lane& lane, const CancelToken& cancel);
  void count_losses(const std::vector<std::int64_t>& ids, const Lane& lane, const CancelToken& cancel);
  void check_repeated(std::int64_t repeated) const;
  void count_repeated(const ListedPhrase& phrase, const Lane& lane, const CancelToken& cancel);
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
  state.check_repeated(options.repeated);
  const HeadCounter counter(state.layers, chosen_numbers("heads", options.heads, architecture.num_heads, options.model),
                            vectors);
  const std::int64_t bytes = state.model.weight_bytes();
  state.counters.assign(decided_batch(options, bytes), counter);
  if (const int threads = decided_threads(options, bytes); threads > 1) {
    for (int k = 0; k < threads; ++k) {
      state.each_own.push_back(std::make_unique<PhraseModel>(options.model, 1, cancel));
    }
  } else {
    state.model.set_lanes(state.counters.size());
  }
  state.facts = state.model.facts(options.most_tokens, cancel);
  state.facts.repeated = options.repeated;
  state.facts.ablation_sample = options.ablation_sample;
  state.facts.phrase_loss = options.phrase_loss;
  state.facts.points = vectors.points;
  state.facts.vector_sizes = vectors.sizes;
}

PhraseScan::~PhraseScan() = default;

std::size_t PhraseScan::batch() const {
  return state_->counters.size();
}

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

void PhraseScan::State::count_repeated(const ListedPhrase& phrase, const Lane& lane, const CancelToken& cancel) {
  auto ids = repeated_tokens(model.tokenizer(), model.architecture().vocab_size,
                             model.tokenizer().tokenize(phrase.text), phrase.index, facts.repeated);
  if (ids.empty()) return;
  // The special tokens may stand behind those that are read of the phrase, and so were not looked at.
  if (const std::string problem = model.problem_of(ids); !problem.empty()) {
    throw ProblemError({"repeated", problem, "", {}});
  }
  lane.model.run(
      lane.run(std::move(ids)), layers.back(),
      [&](std::int64_t layer, const Trace& trace) {
        lane.counter.add_repeated(layer, trace, lane.model.threads(), cancel);
      },
      cancel);
}

CorpusRecord PhraseScan::new_record(const PhraseList& list) const {
  CorpusRecord record;
  record.facts = state_->facts;
  record.facts.list_sha256 = list.sha256();
  record.facts.list_size = list.size();
  record.heads = state_->counters.front().fresh();
  return record;
}

namespace {

// ProblemError where one is no number that can be added.
const std::vector<double>& checked_losses(const char* option, const std::vector<double>& losses) {
  constexpr double kMostLoss = 1e6;
  for (const double loss : losses) {
    if (!(std::fabs(loss) <= kMostLoss)) {
      throw ProblemError({option, fmt::format("the loss of a token is {}", loss), "", {}});
    }
  }
  return losses;
}

}  // namespace

// What the heads do, and the loss of the phrase where it was asked for, of one run.
void PhraseScan::State::count_layers(const std::vector<std::int64_t>& ids, const Lane& lane,
                                     const CancelToken& cancel) {
  const PhraseModel::EachLayer add = [&](std::int64_t layer, const Trace& trace) {
    lane.counter.add_layer(layer, trace, lane.model.threads(), cancel);
  };
  if (!facts.phrase_loss) return lane.model.run(lane.run(ids), layers.back(), add, cancel);
  lane.counter.add_phrase_losses(
      checked_losses("loss", lane.model.losses(lane.run(ids), std::nullopt, add, "loss", cancel)));
}

// The loss of the phrase, and that without each head.
void PhraseScan::State::count_losses(const std::vector<std::int64_t>& ids, const Lane& lane,
                                     const CancelToken& cancel) {
  constexpr const char* kOption = "ablation-sample";
  const auto losses = [&](std::optional<LayerHead> without) {
    return checked_losses(kOption, lane.model.losses(lane.run(ids), without, kNoLayer, kOption, cancel));
  };
  std::vector<std::vector<double>> ablated;
  for (const HeadRecord& head : lane.counter.fresh()) {
    cancel.check();
    ablated.push_back(losses(LayerHead{head.layer, head.head}));
  }
  lane.counter.add_losses(losses(std::nullopt), ablated);
}

// Counts the phrase; returns why it cannot be read.
std::string PhraseScan::State::count(const ListedPhrase& phrase, std::vector<std::int64_t> ids,
                                     const CorpusFacts& of_list, const Lane& lane, const CancelToken& cancel) {
  CountedPhrase counted{short_sha256(phrase.text), phrase.index, {}, {}};
  for (const std::int64_t id : ids) {
    counted.tokens.push_back(static_cast<std::uint64_t>(id));
    counted.words.push_back(model.tokenizer().piece_of(id));
  }
  lane.counter.begin(std::move(counted));
  try {
    count_layers(ids, lane, cancel);
    if (facts.repeated > 0) count_repeated(phrase, lane, cancel);
    if (in_ablation_sample(phrase.index, of_list)) count_losses(ids, lane, cancel);
  } catch (const ProblemError& error) {  // more than fits in memory, or numbers that cannot be added
    return error.what();
  }
  return "";
}

void PhraseScan::State::count_by_turns(std::span<const ListedPhrase> phrases, const CorpusFacts& of_list,
                                       Problems& problems, const CancelToken& cancel) {
  work_by_turns(phrases.size(), [&](std::size_t k, const Pause& pause) {
    auto [ids, problem] = model.ids_of(phrases[k], facts.most_tokens);
    problems[k] = std::move(problem);
    if (!ids.empty()) problems[k] = count(phrases[k], std::move(ids), of_list, {model, k, pause, counters[k]}, cancel);
  });
}

// Every thread takes the next phrase when it is done with one; long ones are left to all threads.
void PhraseScan::State::count_side_by_side(std::span<const ListedPhrase> phrases, const CorpusFacts& of_list,
                                           Problems& problems, const CancelToken& cancel) {
  std::vector<std::vector<std::int64_t>> long_ids(phrases.size());
  std::atomic<std::size_t> next = 0;
  threads.run(static_cast<std::int64_t>(each_own.size()), true, [&](std::int64_t thread) {
    PhraseModel& own = *each_own[static_cast<std::size_t>(thread)];
    for (std::size_t k = next++; k < phrases.size(); k = next++) {
      auto [ids, problem] = own.ids_of(phrases[k], facts.most_tokens);
      problems[k] = std::move(problem);
      if (ids.size() > kSideBySideTokens) {
        long_ids[k] = std::move(ids);
      } else if (!ids.empty()) {
        problems[k] = count(phrases[k], std::move(ids), of_list, {own, 0, [] {}, counters[k]}, cancel);
      }
    }
  });
  for (std::size_t k = 0; k < phrases.size(); ++k) {
    if (long_ids[k].empty()) continue;
    problems[k] = count(phrases[k], std::move(long_ids[k]), of_list, {model, 0, [] {}, counters[k]}, cancel);
  }
}

std::string PhraseScan::add(const ListedPhrase& phrase, CorpusRecord& record, const CancelToken& cancel) {
  return add(std::span(&phrase, 1), record, cancel).front();
}

std::vector<std::string> PhraseScan::add(std::span<const ListedPhrase> phrases, CorpusRecord& record,
                                         const CancelToken& cancel) {
  State& state = *state_;
  HEADSCOPE_ASSERT(!phrases.empty() && phrases.size() <= batch(), "more phrases than a batch has");
  State::Problems problems(phrases.size());
  if (phrases.size() > 1 && !state.each_own.empty()) {
    state.count_side_by_side(phrases, record.facts, problems, cancel);
  } else {
    state.count_by_turns(phrases, record.facts, problems, cancel);
  }
  for (std::size_t k = 0; k < phrases.size(); ++k) {
    record.scanned.add({phrases[k].index, phrases[k].index + 1});
    if (phrases[k].blank || !problems[k].empty()) {
      ++(phrases[k].blank ? record.blank : record.unreadable);
    } else {
      state.counters[k].add_to(record);
    }
  }
  settle(record);
  return problems;
}

}  // namespace headscope
