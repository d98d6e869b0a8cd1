// A whole scan, which goes on where one that was ended stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "core/corpus/capture_list.h"
#include "core/corpus/phrase_scan.h"

namespace headscope {

// How far a scan is.
struct ScanProgress {
  std::int64_t done = 0, of = 0;  // phrases of this shard
  std::int64_t tokens = 0;        // that this run has computed
  double seconds = 0;             // of this run
};

struct ScanJob {
  ScanOptions options;
  std::int64_t shard = 0, shards = 1;  // blocks that follow one another: shard_of()
  std::string out;
  bool keep = false;                          // a result that is there already stays, where it is of this very scan
  std::chrono::duration<double> between{60};  // two states that are kept, at most; the first ones follow sooner
  // Called before every phrase, or batch of them, and at the end.
  std::function<void(const ScanProgress&)> progress;
  // A phrase that could not be read.
  std::function<void(std::int64_t index, const std::string& why)> unreadable;
  // The result stays that is there already: nothing is scanned.
  std::function<void()> kept;
  // A scan that does not come to its end has left its state in this file; called before the exception goes on.
  std::function<void(const std::string& state)> left;
};

// "FILE.part", where the state of a scan into FILE is kept: what is done, as a file of the same kind.
std::string scan_state_path(const std::string& out);

// Scans the shard's phrases and writes job.out, whole or not at all; then there is no state any more. While it works
// the state is kept now and then, when it is cancelled, and where it can be when an error ends it (the model's files
// have changed, the disk is full); a state that is there is where the scan begins. The bytes of the result do not
// depend on how often a scan was ended. With job.keep a result that is there already is compared with what this scan
// would write, by model, list, options and phrases, and stays. UsageError when the state, or that result, belongs to
// another scan; Error when it is damaged, or when nothing can be written to job.out, or as PhraseScan; Cancelled.
// Returns what was written, or stays.
CorpusRecord run_scan(const ScanJob& job, const PhraseList& list, const CancelToken& cancel);

// The same of captures: job.options.model is not read.
CorpusRecord run_scan(const ScanJob& job, const CaptureList& list, const CancelToken& cancel);

}  // namespace headscope
