// Reads captures and counts what their heads do: the numbers of PhraseScan, from weights that another program computed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/corpus/capture_list.h"
#include "core/corpus/corpus_record.h"
#include "core/corpus/phrase_scan.h"

namespace headscope {

class CaptureScan {
 public:
  // Of the options `model` is not read. UsageError for layers and heads that the captures do not have. The list has to
  // outlive it.
  CaptureScan(const ScanOptions& options, const CaptureList& list);
  ~CaptureScan();
  CaptureScan(const CaptureScan&) = delete;
  CaptureScan& operator=(const CaptureScan&) = delete;

  // Nothing scanned yet.
  CorpusRecord new_record() const;

  // Counts capture `index` in. A capture is one phrase: a batch of one, self-attention of all layers over the same
  // named tokens, rows that add up to 1. Returns why it could not be read; "" when it could. Until this returns the
  // record is as it was. Error when the file is another one than when the list was opened; Cancelled.
  std::string add(std::int64_t index, CorpusRecord& record, const CancelToken& cancel);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
