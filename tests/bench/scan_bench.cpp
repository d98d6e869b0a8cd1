// What counting costs: phrases through a model, and the same with every metric, example, token and pattern of its heads
// counted. The folder is named by HEADSCOPE_MODEL (measure_scan.py leaves gpt2-shape, which has a tokenizer); without
// it it is demo:stories.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/corpus/phrase_model.h"
#include "core/corpus/phrase_scan.h"
#include "core/model/architecture.h"

namespace headscope {
namespace {

std::string model_name_given() {
  const char* folder = std::getenv("HEADSCOPE_MODEL");
  return folder == nullptr ? "demo:stories" : folder;
}

// Words of the vocabularies of demo:stories and demo:pronouns, so many of them.
std::string words(std::int64_t count) {
  constexpr const char* kWords[] = {"the", "animal", "because", "it", "was", "tired", "and", "cat"};
  std::string text;
  for (std::int64_t k = 0; k < count; ++k) text += std::string(k == 0 ? "" : " ") + kWords[(k * k + k / 3) % 8];
  return text;
}

ListedPhrase phrase_of(std::int64_t count) {
  return {0, words(count), false, ""};
}

void plain_forward(benchmark::State& state) {
  PhraseModel model(model_name_given(), 0, {});
  const auto ids = model.ids_of(phrase_of(state.range(0)), state.range(0)).ids;
  for ([[maybe_unused]] const auto each : state) {
    model.run({ids}, model.architecture().num_layers - 1,
              [](std::int64_t, const Trace& trace) { benchmark::DoNotOptimize(&trace); }, {});
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(ids.size()));
}

void counted(benchmark::State& state) {
  ScanOptions options;
  options.model = model_name_given();
  options.most_tokens = state.range(0);
  PhraseScan scan(options, {});
  const PhraseList list = PhraseList::of_text(words(state.range(0)));
  CorpusRecord record = scan.new_record(list);
  record.facts.list_size = 1 << 30;  // the list does not end
  std::vector<ListedPhrase> batch(scan.batch(), phrase_of(state.range(0)));
  std::int64_t index = 0;
  for ([[maybe_unused]] const auto each : state) {
    for (ListedPhrase& phrase : batch) phrase.index = index++;
    for (const std::string& why : scan.add(batch, record, {})) {
      if (!why.empty()) return state.SkipWithError("the phrase cannot be read");
    }
  }
  state.SetItemsProcessed(record.tokens);
}

BENCHMARK(plain_forward)->ArgName("tokens")->Arg(32)->Arg(128)->Arg(512)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(counted)->ArgName("tokens")->Arg(32)->Arg(128)->Arg(512)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace headscope
