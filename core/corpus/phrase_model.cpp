#include "core/corpus/phrase_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/attention/input_problem.h"
#include "core/attention/model_forward.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/backend/backend_factory.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/corpus/model_identity.h"
#include "core/io/mapping_guard.h"
#include "core/model/architecture_text.h"
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
  std::vector<std::unique_ptr<ModelForward>> lanes;

  std::shared_ptr<const Trace> run(const Request& request, ModelOptions options, const Run& of,
                                   const CancelToken& cancel);
};

PhraseModel::PhraseModel(const std::string& model, int threads, const CancelToken& cancel)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.path = model;
  state.thread_count = threads;
  // Opened by the cache, which the phrases go through: one model, not two.
  state.checkpoint = load_inputs(request_of(model, {0}, threads), state.cache, cancel).checkpoint;
  state.tokenizer = state.checkpoint->tokenizer();
  if (state.tokenizer == nullptr) {
    throw UsageError("model", state.checkpoint->no_tokenizer_sentence(), "a model that reads text");
  }
  state.backend = make_backend({BackendChoice::cpu, threads, false});
  state.threads = std::make_unique<ThreadPool>(threads);
  set_lanes(1);
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

std::int64_t PhraseModel::weight_bytes() const {
  return state_->checkpoint->bytes();
}

ThreadPool& PhraseModel::threads() {
  return *state_->threads;
}

CorpusFacts PhraseModel::facts(std::int64_t most_tokens, const CancelToken& cancel) const {
  CorpusFacts facts;
  facts.model = model_name(state_->path);
  facts.sha256 = sha256_of(*state_->checkpoint, cancel);
  facts.architecture = architecture_text(architecture());
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
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most_tokens)));
  if (std::string problem = problem_of(ids); !problem.empty()) return {{}, std::move(problem)};
  return {std::move(ids), ""};
}

std::string PhraseModel::problem_of(const std::vector<std::int64_t>& ids) const {
  const std::int64_t vocabulary = architecture().vocab_size;
  const auto beyond = std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) { return id < 0 || id >= vocabulary; });
  if (beyond == ids.end()) return "";
  return fmt::format("the tokenizer of {} gives the id {}, but config.json says a vocabulary of {}", state_->path,
                     *beyond, vocabulary);
}

void PhraseModel::set_lanes(std::size_t count) {
  while (state_->lanes.size() < count) state_->lanes.push_back(std::make_unique<ModelForward>());
}

// Runs the request, whose model has to be the one that was opened.
std::shared_ptr<const Trace> PhraseModel::State::run(const Request& request, ModelOptions options, const Run& of,
                                                     const CancelToken& cancel) {
  const auto inputs = std::make_shared<const Inputs>(load_inputs(request, cache, cancel));
  if (inputs->checkpoint != checkpoint) {
    throw Error(path + ": its files have changed since the scan began; scan anew");
  }
  if (const std::optional<Problem> found = find_problem(request, *inputs)) throw ProblemError(*found);
  options.stage_memory = kStageMemory;
  options.before_layer = of.before_layer;
  const auto trace = lanes[of.lane]->run(request, inputs, backend, cancel, options);
  check_checkpoint_files(cache);
  check_mapped_files();
  return trace;
}

void PhraseModel::run(Run run, std::int64_t last, const EachLayer& f, const CancelToken& cancel) {
  Request request = request_of(state_->path, std::move(run.ids), state_->thread_count);
  request.layer = last;
  ModelOptions options;
  options.each_layer = f;
  state_->run(request, options, run, cancel);
}

std::vector<double> PhraseModel::losses(Run run, std::optional<LayerHead> without, const EachLayer& f,
                                        const char* option, const CancelToken& cancel) {
  std::vector<std::int64_t> positions(run.ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  Request request = request_of(state_->path, std::move(run.ids), state_->thread_count);
  request.layer = architecture().num_layers - 1;
  if (without) request.ablate.push_back({*without, true});
  ModelOptions options;
  options.each_layer = f;
  options.with_final = true;
  const auto trace = state_->run(request, options, run, cancel);
  check_one_stack(option, *trace->model);
  std::vector<double> losses;
  for (const Prediction& each : predictions(*trace->model, 0, positions, 0, *state_->backend, cancel)) {
    if (each.loss) losses.push_back(*each.loss);
  }
  return losses;
}

}  // namespace headscope
