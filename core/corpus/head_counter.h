// Counts what the heads of one phrase do, layer by layer, and adds it to a record. Internal to core/corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/corpus/corpus_record.h"
#include "core/corpus/phrase_vectors.h"

namespace headscope {

class ThreadPool;

// What is known of a phrase before its layers.
struct CountedPhrase {
  std::uint64_t hash = 0;             // of its text: short_sha256()
  std::int64_t index = 0;             // in the list
  std::vector<std::uint64_t> tokens;  // ids
  std::vector<std::string> words;     // their texts
};

class HeadCounter {
 public:
  // Of these layers, each with these heads; both sorted. With their vectors where points are wanted.
  // UsageError for vectors that are too large.
  HeadCounter(const std::vector<std::int64_t>& layers, const std::vector<std::int64_t>& heads, VectorsWanted vectors);

  // Every head, sorted, with nothing in it.
  const std::vector<HeadRecord>& fresh() const { return fresh_; }

  // A new phrase: forgets the one before.
  void begin(CountedPhrase phrase);
  // All rows of the layer's heads, each head by one thread, and the strongest weight of each as an example. Of other
  // layers nothing. ProblemError for vectors that cannot be counted; Cancelled.
  void add_layer(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel);
  // All rows of a layer that was run on repeated tokens beside the phrase.
  void add_repeated(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel);
  // The phrase's losses, and those while a head's context was 0, for every head in the order of fresh().
  void add_losses(const std::vector<double>& losses, const std::vector<std::vector<double>>& ablated);
  // The losses of the phrase, beside those of a sample.
  void add_phrase_losses(const std::vector<double>& losses);
  // Adds the phrase to the record, whose heads these are.
  void add_to(CorpusRecord& record) const;

 private:
  // f(head, i, w, row) for every row of the layer's heads, each head by one thread.
  template <typename F>
  void each_row(std::int64_t layer, const Trace& trace, ThreadPool& threads, const CancelToken& cancel, const F& f);
  bool is_counted(std::uint64_t token) const;
  void draw_points();
  void add_row(HeadRecord& head, const CorpusRow& row, std::int64_t i, std::span<const float> w) const;

  std::vector<HeadRecord> fresh_;
  std::vector<HeadRecord> counted_;               // of the phrase in work
  std::map<std::int64_t, std::size_t> first_of_;  // where a layer's heads begin among them
  std::size_t heads_each_ = 0;
  CountedPhrase phrase_;
  VectorsWanted vectors_;
  std::vector<PointPlace> points_;   // of the phrase, those that may stay
  std::vector<std::int64_t> slots_;  // one a position: its place among them, -1 for none
  std::uint64_t loss_tokens_ = 0;    // of the phrase, and their loss
  ExactSum loss_;
  std::uint64_t phrase_loss_tokens_ = 0;
  ExactSum phrase_loss_;
};

// The numbers that were asked for, sorted, each once; all below `count` where none was. UsageError of `option` for one
// that `whose` does not have.
std::vector<std::int64_t> chosen_numbers(const char* option, std::vector<std::int64_t> asked, std::int64_t count,
                                         const std::string& whose);

}  // namespace headscope
