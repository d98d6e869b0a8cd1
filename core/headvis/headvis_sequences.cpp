#include "core/headvis/headvis_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/io/sha256.h"
#include "core/tensor/row_strips.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

constexpr std::size_t kMostKeys = 8;  // of a row
constexpr float kSmallest = 0.005F;
constexpr std::int64_t kRowsBetweenChecks = 256;

// Where an example goes: the k-th of a head.
struct Wanted {
  std::size_t head = 0, k = 0;
  std::int64_t interval = 0, query = -1;  // -1: of all rows
  CorpusExample example;
};
// By the phrase's index.
using WantedByPhrase = std::map<std::int64_t, std::vector<Wanted>>;

WantedByPhrase wanted_of(const CorpusRecord& record) {
  static_assert(kDeciles == kHeadVisIntervals);
  WantedByPhrase wanted;
  for (std::size_t h = 0; h < record.heads.size(); ++h) {
    std::size_t k = 0;
    const auto add = [&](const CorpusExample& example, std::size_t tenth, std::int64_t query) {
      wanted[example.phrase].push_back({h, k++, static_cast<std::int64_t>(tenth) + 1, query, example});
    };
    for (const CorpusExample& example : record.heads[h].top) add(example, kDeciles - 1, -1);
    for (std::size_t tenth = kDeciles; tenth-- > 0;) {
      for (const CorpusExample& row : record.heads[h].samples[tenth]) add(row, tenth, row.query);
    }
  }
  return wanted;
}

void check_scanned(const CorpusRecord& record, const PhraseModel& model, const PhraseList& list,
                   const CancelToken& cancel) {
  // The model as it is now, and of the scan what it was asked.
  const CorpusFacts own = model.facts(record.facts.most_tokens, cancel);
  CorpusRecord now = record;
  now.facts.model = own.model;
  now.facts.sha256 = own.sha256;
  if (!record.facts.architecture.empty()) now.facts.architecture = own.architecture;  // else the scan did not say
  now.facts.tokenizer = own.tokenizer;
  now.facts.most_tokens = own.most_tokens;
  now.scanned = {};
  if (const std::string other = difference_of(record, now); !other.empty()) {
    throw UsageError("model", fmt::format("{} is not the model that was scanned: {}", model.path(), other),
                     "the model of the scan");
  }
  if (list.sha256() != record.facts.list_sha256) {
    throw UsageError(
        "phrases",
        fmt::format("the list has the sha256 {}, that which was scanned {}", list.sha256(), record.facts.list_sha256),
        "the list of the scan");
  }
}

float at(std::span<const float> row, std::size_t key) {
  return std::isnan(row[key]) ? -1.0F : row[key];
}

// Runs the phrases that examples stand in, and keeps what their heads do.
class SequenceMaker {
 public:
  SequenceMaker(const CorpusRecord& record, PhraseModel& model, const CancelToken& cancel)
      : record_(record), model_(model), cancel_(cancel) {
    for (const HeadRecord& head : record.heads) {
      std::size_t count = head.top.size();
      for (const auto& rows : head.samples) count += rows.size();
      sequences_.heads.emplace_back(count);
    }
  }

  void add(const ListedPhrase& phrase, const std::vector<Wanted>& places) {
    const auto [ids, problem] = model_.ids_of(phrase, record_.facts.most_tokens);
    if (ids.empty() || short_sha256(phrase.text) != places.front().example.hash) {
      throw Error(fmt::format("phrase {} of the list is not the one that was scanned", phrase.index));
    }
    std::vector<std::string>& tokens = sequences_.tokens[phrase.index];
    for (const std::int64_t id : ids) tokens.push_back(model_.tokenizer().piece_of(id));
    model_.run(
        {ids}, record_.heads[places.back().head].layer,
        [&](std::int64_t layer, const Trace& trace) {
          const Tensor& weights = trace.tensor(StageId::weights);
          model_.threads().run(static_cast<std::int64_t>(places.size()), weights.stored(), [&](std::int64_t p) {
            const Wanted& place = places[static_cast<std::size_t>(p)];
            const HeadRecord& head = record_.heads[place.head];
            if (head.layer != layer) return;
            sequences_.heads[place.head][place.k] = {
                id_of(place), phrase.index, place.interval,
                weights_of(matrix_at(weights, 0, head.head), tokens.size(), place.query)};
          });
        },
        cancel_);
  }

  HeadVisSequences take() { return std::move(sequences_); }

 private:
  std::int64_t id_of(const Wanted& place) const {
    if (place.query < 0) return place.example.phrase;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };  // it may overflow
    const std::uint64_t row = number(place.example.phrase) * number(record_.facts.most_tokens) + number(place.query);
    return static_cast<std::int64_t>((number(record_.facts.list_size) + row) & (~std::uint64_t{0} >> 1));
  }

  // Of one row, or of all: query -1.
  HeadVisWeights weights_of(const Tensor& matrix, std::size_t tokens, std::int64_t query) const {
    HeadVisWeights found;
    for_each_row(matrix, [&](const Index&, std::int64_t q, std::span<const float> row) {
      if (q % kRowsBetweenChecks == 0) cancel_.check();
      if (query < 0 || q == query) add_row(found, q, row.first(std::min(row.size(), tokens)));
    });
    return found;
  }

  const CorpusRecord& record_;
  PhraseModel& model_;
  const CancelToken& cancel_;
  HeadVisSequences sequences_;
};

}  // namespace

void add_row(HeadVisWeights& weights, std::int64_t query, std::span<const float> row) {
  std::vector<std::size_t> keys(row.size());
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  const std::size_t most = std::min(keys.size(), kMostKeys);
  std::partial_sort(
      keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(most), keys.end(),
      [&](std::size_t a, std::size_t b) { return at(row, a) != at(row, b) ? at(row, a) > at(row, b) : a < b; });
  keys.resize(most);
  std::sort(keys.begin(), keys.end());
  for (const std::size_t key : keys) {
    if (!(row[key] >= kSmallest)) continue;
    weights.indices.push_back(query * static_cast<std::int64_t>(row.size()) + static_cast<std::int64_t>(key));
    weights.values.push_back(static_cast<double>(row[key]));
    if (query > 0 && key > 0) weights.largest = std::max(weights.largest, weights.values.back());
  }
}

std::vector<HeadVisSequence> HeadVisSequences::of(std::size_t head) const {
  std::vector<HeadVisSequence> all;
  for (const Kept& kept : heads[head]) {
    all.push_back({std::to_string(kept.id), kept.interval, tokens.at(kept.phrase), kept.weights.indices,
                   kept.weights.values, kept.weights.largest});
  }
  return all;
}

HeadVisSequences headvis_sequences(const CorpusRecord& record, PhraseModel& model, const PhraseList& list,
                                   const std::function<void(std::int64_t, std::int64_t)>& progress,
                                   const CancelToken& cancel) {
  check_scanned(record, model, list, cancel);
  SequenceMaker maker(record, model, cancel);
  const WantedByPhrase wanted = wanted_of(record);
  std::int64_t done = 0;
  const Range range = wanted.empty() ? Range{} : Range{wanted.begin()->first, wanted.rbegin()->first + 1};
  list.visit(range, [&](const ListedPhrase& phrase) {
    cancel.check();
    const auto found = wanted.find(phrase.index);
    if (found == wanted.end()) return;
    if (progress) progress(done++, static_cast<std::int64_t>(wanted.size()));
    maker.add(phrase, found->second);
  });
  return maker.take();
}

}  // namespace headscope
