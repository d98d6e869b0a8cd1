// Runs phrases through a model and counts what its heads do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/corpus/corpus_record.h"
#include "core/corpus/phrase_list.h"

namespace headscope {

struct ScanOptions {
  std::string model;                 // a checkpoint, as --model names it
  std::int64_t most_tokens = 512;    // of a phrase, and never more than the model takes
  std::vector<std::int64_t> layers;  // empty: all
  std::vector<std::int64_t> heads;   // of each of these layers; empty: all
  std::int64_t repeated = 0;         // random tokens that are run twice beside each phrase; 0: none
  std::int64_t ablation_sample = 0;  // phrases of the list that are run without each head, too; 0: none
  bool phrase_loss = false;          // the loss of all phrases, for which the whole model is run
  std::int64_t points = 0;           // positions that are drawn, with the vectors of each head; at most kMostPoints
  int threads = 0;                   // 0: all cores
  // Phrases that go through the model together, layer by layer, so that a layer's weights are read once for all of
  // them; 0: 1, kLargeBatch where the weights are more than the machine's memory, and of a small model some for each
  // thread, which then counts phrases by itself.
  std::int64_t batch = 0;
};

constexpr std::int64_t kLargeBatch = 8;

// One open model. The numbers of a phrase depend on the phrase, the model and the options alone: not on the phrases
// before it, nor on the number of threads. Layers are counted as they are computed; no trace outlives its layer.
class PhraseScan {
 public:
  // Opens the model and reads all its weights once, for their sha256. UsageError for layers and heads that it does not
  // have, and for a model without a tokenizer; Error as Checkpoint::open; Cancelled.
  PhraseScan(const ScanOptions& options, const CancelToken& cancel);
  ~PhraseScan();
  PhraseScan(const PhraseScan&) = delete;
  PhraseScan& operator=(const PhraseScan&) = delete;

  // Nothing scanned yet of this list.
  CorpusRecord new_record(const PhraseList& list) const;

  // So many phrases should be added at once: ScanOptions::batch, decided.
  std::size_t batch() const;

  // Counts the phrase in, whichever kind of line it is. Returns why it could not be read; "" when it could, and for
  // blank lines. Until this returns the record is as it was: also when it throws Error or Cancelled.
  std::string add(const ListedPhrase& phrase, CorpusRecord& record, const CancelToken& cancel);
  // The same of phrases that follow one another, with one answer for each. By turns all are in layer 0 before one is in
  // layer 1, and so on; of a small model each thread counts whole phrases. The record is what adding one after the
  // other makes it, to the bit.
  std::vector<std::string> add(std::span<const ListedPhrase> phrases, CorpusRecord& record, const CancelToken& cancel);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
