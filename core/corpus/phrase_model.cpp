#include "core/corpus/phrase_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/attention/input_problem.h"
#include "core/attention/model_forward.h"
#include "core/backend/backend_factory.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/corpus/model_identity.h"
#include "core/io/mapping_guard.h"
#include "core/model/checkpoint.h"
#include "core/model/load_inputs.h"
#include "core/model/weights_sha256.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

constexpr std::int64_t kStageMemory = std::int64_t{1} << 30;  // larger weights are computed when they are read

Request request_of(const std::string& model, std::vector<std::int64_t> ids, int threads) {
  Request request;
  request.model = model;
  request.token_ids = std::move(ids);
  request.backend = BackendChoice::cpu;
  request.threads = threads;
  return request;
}

}  // namespace

struct PhraseModel::State {
  std::string path;
  int thread_count = 0;
  InputCache cache;
  std::shared_ptr<const Checkpoint> checkpoint;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const Backend> backend;
  std::unique_ptr<ThreadPool> threads;
  ModelForward models;
};

PhraseModel::PhraseModel(const std::string& model, int threads, const CancelToken& cancel)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.path = model;
  state.thread_count = threads;
  // Opened by the cache, which the phrases go through: one model, not two.
  state.checkpoint = load_inputs(request_of(model, {0}, threads), state.cache, cancel).checkpoint;
  state.tokenizer = state.checkpoint->tokenizer();
  if (state.tokenizer == nullptr) throw UsageError("model", model + " has no tokenizer", "a model that reads text");
  state.backend = make_backend({BackendChoice::cpu, threads, false});
  state.threads = std::make_unique<ThreadPool>(threads);
}

PhraseModel::~PhraseModel() = default;

const std::string& PhraseModel::path() const {
  return state_->path;
}

const Architecture& PhraseModel::architecture() const {
  return state_->checkpoint->architecture();
}

const Tokenizer& PhraseModel::tokenizer() const {
  return *state_->tokenizer;
}

ThreadPool& PhraseModel::threads() {
  return *state_->threads;
}

CorpusFacts PhraseModel::facts(std::int64_t most_tokens, const CancelToken& cancel) const {
  CorpusFacts facts;
  facts.model = model_name(state_->path);
  facts.sha256 = sha256_of(*state_->checkpoint, cancel);
  facts.tokenizer = tokenizer_identity(*state_->tokenizer);
  facts.most_tokens = most_tokens;
  if (architecture().position != Architecture::Position::none) {
    facts.most_tokens = std::min(most_tokens, architecture().max_positions);
  }
  return facts;
}

PhraseModel::Ids PhraseModel::ids_of(const ListedPhrase& phrase, std::int64_t most_tokens) const {
  if (phrase.blank || !phrase.problem.empty()) return {{}, phrase.problem};
  std::vector<std::int64_t> ids;
  try {
    ids = state_->tokenizer->tokenize(phrase.text).ids;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
  if (ids.empty()) return {{}, "the tokenizer makes no token of it"};
  const std::int64_t vocabulary = architecture().vocab_size;
  const auto beyond = std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) { return id < 0 || id >= vocabulary; });
  if (beyond != ids.end()) {  // the folder's fault, and every phrase may have it
    throw Error(fmt::format("{}: its tokenizer gives the id {} in phrase {}, but config.json says a vocabulary of {}",
                            state_->path, *beyond, phrase.index, vocabulary));
  }
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most_tokens)));
  return {std::move(ids), ""};
}

void PhraseModel::run(std::vector<std::int64_t> ids, std::int64_t last, const EachLayer& f, const CancelToken& cancel) {
  State& state = *state_;
  Request request = request_of(state.path, std::move(ids), state.thread_count);
  request.layer = last;
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, state.cache, cancel));
  if (inputs->checkpoint != state.checkpoint) {
    throw Error(state.path + ": its files have changed since the scan began; scan anew");
  }
  if (const std::optional<Problem> found = find_problem(request, *inputs)) throw ProblemError(*found);
  ModelOptions forward;
  forward.stage_memory = kStageMemory;
  forward.each_layer = f;
  state.models.run(request, inputs, state.backend, cancel, forward);
  check_checkpoint_files(state.cache);
  check_mapped_files();
}

}  // namespace headscope
