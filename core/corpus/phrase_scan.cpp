#include "core/corpus/phrase_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/attention/input_problem.h"
#include "core/attention/model_forward.h"
#include "core/backend/backend_factory.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/corpus/model_identity.h"
#include "core/heads/token_places.h"
#include "core/io/mapping_guard.h"
#include "core/io/sha256.h"
#include "core/model/checkpoint.h"
#include "core/model/load_inputs.h"
#include "core/model/weights_sha256.h"
#include "core/request/problem.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kStageMemory = std::int64_t{1} << 30;  // larger weights are computed when they are read
constexpr std::int64_t kRowsBetweenChecks = 256;

Request request_of(const std::string& model, std::vector<std::int64_t> ids, int threads) {
  Request request;
  request.model = model;
  request.token_ids = std::move(ids);
  request.backend = BackendChoice::cpu;
  request.threads = threads;
  return request;
}

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
  ScanOptions options;
  InputCache cache;
  std::shared_ptr<const Checkpoint> checkpoint;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const Backend> backend;
  std::unique_ptr<ThreadPool> threads;
  ModelForward models;
  CorpusFacts facts;
  std::vector<std::int64_t> layers;
  std::vector<HeadRecord> fresh;                 // every head that is counted, sorted, with nothing in it
  std::vector<HeadRecord> counted;               // of the phrase in work
  std::map<std::int64_t, std::size_t> first_of;  // where a layer's heads begin among them
  std::size_t heads_each = 0;

  void add_layer(std::int64_t layer, const Trace& trace, const CorpusExample& place, const CancelToken& cancel);
  void compute(std::vector<std::int64_t> ids, const CorpusExample& place, const CancelToken& cancel);
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
  threads->run(count, weights.stored(), [&](std::int64_t k) {
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

PhraseScan::PhraseScan(const ScanOptions& options, const CancelToken& cancel) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.options = options;
  // Opened by the cache, which the phrases go through: one model, not two.
  state.checkpoint = load_inputs(request_of(options.model, {0}, options.threads), state.cache, cancel).checkpoint;
  const Architecture& architecture = state.checkpoint->architecture();
  state.tokenizer = state.checkpoint->tokenizer();
  if (state.tokenizer == nullptr) {
    throw UsageError("model", options.model + " has no tokenizer", "a model that reads text");
  }
  state.layers = chosen("layers", options.layers, architecture.num_layers, options.model);
  const auto heads = chosen("heads", options.heads, architecture.num_heads, options.model);
  state.heads_each = heads.size();
  for (const std::int64_t layer : state.layers) {
    state.first_of[layer] = state.fresh.size();
    for (const std::int64_t head : heads) state.fresh.emplace_back(layer, head);
  }
  state.counted = state.fresh;
  state.backend = make_backend({BackendChoice::cpu, options.threads, false});
  state.threads = std::make_unique<ThreadPool>(options.threads);
  state.facts.model = model_name(options.model);
  state.facts.sha256 = sha256_of(*state.checkpoint, cancel);
  state.facts.tokenizer = tokenizer_identity(*state.tokenizer);
  state.facts.most_tokens = options.most_tokens;
  if (architecture.position != Architecture::Position::none) {
    state.facts.most_tokens = std::min(options.most_tokens, architecture.max_positions);
  }
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

// Computes the model on these tokens and leaves what its heads do in `counted`.
void PhraseScan::State::compute(std::vector<std::int64_t> ids, const CorpusExample& place, const CancelToken& cancel) {
  Request request = request_of(options.model, std::move(ids), options.threads);
  request.layer = layers.back();
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache, cancel));
  if (inputs->checkpoint != checkpoint) {
    throw Error(options.model + ": its files have changed since the scan began; scan anew");
  }
  if (const std::optional<Problem> found = find_problem(request, *inputs)) throw ProblemError(*found);
  for (HeadRecord& head : counted) head.clear();
  ModelOptions forward;
  forward.stage_memory = kStageMemory;
  forward.each_layer = [&](std::int64_t layer, const Trace& trace) { add_layer(layer, trace, place, cancel); };
  models.run(request, inputs, backend, cancel, forward);
  check_checkpoint_files(cache);
  check_mapped_files();
}

// Counts the phrase into `counted`, and returns its number of tokens; or why it cannot be read, and 0.
std::pair<std::string, std::int64_t> PhraseScan::State::count(const ListedPhrase& phrase, const CancelToken& cancel) {
  if (phrase.blank || !phrase.problem.empty()) return {phrase.problem, 0};
  std::vector<std::int64_t> ids;
  try {
    ids = tokenizer->tokenize(phrase.text).ids;
  } catch (const Error& error) {
    return {error.what(), 0};
  }
  if (ids.empty()) return {"the tokenizer makes no token of it", 0};
  const std::int64_t vocabulary = checkpoint->architecture().vocab_size;
  const auto beyond = std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) { return id < 0 || id >= vocabulary; });
  if (beyond != ids.end()) {  // the folder's fault, and every phrase may have it
    throw Error(fmt::format("{}: its tokenizer gives the id {} in phrase {}, but config.json says a vocabulary of {}",
                            options.model, *beyond, phrase.index, vocabulary));
  }
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(facts.most_tokens)));
  const auto tokens = static_cast<std::int64_t>(ids.size());
  CorpusExample place;
  place.hash = short_sha256(phrase.text);
  place.phrase = phrase.index;
  try {
    compute(std::move(ids), place, cancel);
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
