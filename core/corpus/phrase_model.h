// One open model that phrases are run through: one after the other, or several by turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/corpus/corpus_record.h"
#include "core/corpus/phrase_list.h"
#include "core/request/interventions.h"

namespace headscope {

struct Architecture;
class ThreadPool;
class Tokenizer;

class PhraseModel {
 public:
  // `model` is a checkpoint, as --model names it; threads 0: all cores. UsageError for a model without a tokenizer;
  // Error as Checkpoint::open; Cancelled.
  PhraseModel(const std::string& model, int threads, const CancelToken& cancel);
  ~PhraseModel();
  PhraseModel(const PhraseModel&) = delete;
  PhraseModel& operator=(const PhraseModel&) = delete;

  const std::string& path() const;
  const Architecture& architecture() const;
  const Tokenizer& tokenizer() const;
  std::int64_t weight_bytes() const;  // of all weights, as they lie in files
  ThreadPool& threads();

  // Name, digest of all weights, which are read for it, settings and tokenizer; and of --tokens what the model takes.
  CorpusFacts facts(std::int64_t most_tokens, const CancelToken& cancel) const;

  struct Ids {
    std::vector<std::int64_t> ids;
    std::string problem;  // why it cannot be read; "" when it can, and for blank lines, which have no ids
  };
  // The first `most_tokens` tokens of a phrase; those of which the model lacks one cannot be read.
  Ids ids_of(const ListedPhrase& phrase, std::int64_t most_tokens) const;
  // Which of the ids the model does not have, as one sentence; "" when it has all of them.
  std::string problem_of(const std::vector<std::int64_t>& ids) const;

  // A run's tokens, and its place among those that go on by turns: a lane is used by one of them at a time.
  struct Run {
    std::vector<std::int64_t> ids;
    std::size_t lane = 0;
    std::function<void()> before_layer = {};  // called before every layer; may be empty
  };
  // So many lanes can be used.
  void set_lanes(std::size_t count);

  using EachLayer = std::function<void(std::int64_t layer, const Trace& trace)>;
  // Computes the layers up to `last` on these tokens and gives each to f as it is done; none outlives its call. What is
  // computed depends on neither the tokens before nor the number of threads. ProblemError when they do not fit into
  // memory; Error when the model's files have changed; Cancelled.
  void run(Run run, std::int64_t last, const EachLayer& f, const CancelToken& cancel);

  // -log of the probability of each token that the whole model predicts of these, in nats, as `run --predict` has them,
  // while the context of `without` is 0 where it names a head. Layers are given to f as by run(). UsageError of
  // `option`, which asked for losses, when the model was saved without its head, or is a decoder beside an encoder;
  // else as run().
  std::vector<double> losses(Run run, std::optional<LayerHead> without, const EachLayer& f, const char* option,
                             const CancelToken& cancel);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
