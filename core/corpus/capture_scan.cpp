#include "core/corpus/capture_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/backend/backend_factory.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/corpus/head_counter.h"
#include "core/io/json_text.h"
#include "core/io/mapping_guard.h"
#include "core/io/safetensors.h"
#include "core/io/sha256.h"
#include "core/model/capture.h"
#include "core/request/problem.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kStageMemory = std::int64_t{1} << 30;  // larger weights are computed when they are read

std::vector<std::int64_t> layers_of(const ScanOptions& options, const CaptureHeading& heading) {
  if (options.layers.empty()) {
    std::vector<std::int64_t> all;
    for (const auto& [layer, heads] : heading.heads) all.push_back(layer);
    return all;
  }
  const auto asked = chosen_numbers("layers", options.layers, heading.heads.rbegin()->first + 1, "each capture");
  for (const std::int64_t layer : asked) {
    if (!heading.heads.contains(layer)) {
      throw UsageError("layers", fmt::format("layer {} was not captured", layer), "layers that were");
    }
  }
  return asked;
}

// As many as every one of these layers has.
std::int64_t heads_in(const std::vector<std::int64_t>& layers, const CaptureHeading& heading) {
  const std::int64_t heads = heading.heads.at(layers.front());
  for (const std::int64_t layer : layers) {
    if (heading.heads.at(layer) == heads) continue;
    throw UsageError(
        "captures",
        fmt::format("layer {} has {} heads, layer {} has {}", layers.front(), heads, layer, heading.heads.at(layer)),
        "as many in every layer, or --layers with such as have as many");
  }
  return heads;
}

// What every one of these layers holds.
VectorsWanted vectors_in(const std::vector<std::int64_t>& layers, const CaptureHeading& heading, std::int64_t points) {
  VectorsWanted wanted{points, {}};
  if (points == 0) return wanted;
  wanted.sizes = heading.vectors.at(layers.front());
  for (const std::int64_t layer : layers) {
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
      const std::int64_t size = heading.vectors.at(layer)[kind];
      if (size == 0) wanted.sizes[kind] = 0;
      if (wanted.sizes[kind] == 0 || size == wanted.sizes[kind]) continue;
      throw UsageError("points",
                       fmt::format("layer {} has vectors of {} numbers, layer {} of {}", layers.front(),
                                   wanted.sizes[kind], layer, size),
                       "as many in every layer, or --layers with such as have as many");
    }
  }
  if (wanted.sizes != VectorSizes{}) return wanted;
  throw UsageError("points", "the captures hold neither queries and keys nor values",
                   "captures with such of every layer");
}

// Of the capture's own metadata.
struct PhraseFacts {
  std::string text;               // "phrase"; else its tokens, a line each
  std::vector<std::int64_t> ids;  // "token_ids"; empty: it names none
};

std::vector<std::int64_t> ids_of_json(const std::string& json, const std::string& path) {
  const std::string what = path + ": metadata token_ids";
  const JsonValue list = parse_strict_json(json, what);
  if (list.kind != JsonValue::Kind::array) {
    throw Error(fmt::format("{} is {}; expected a list of whole numbers", what, json_kind_name(list.kind)));
  }
  std::vector<std::int64_t> ids;
  for (const JsonValue& item : list.items) {
    std::int64_t id = -1;
    const char* end = item.text.data() + item.text.size();
    if (item.kind != JsonValue::Kind::number || std::from_chars(item.text.data(), end, id).ptr != end || id < 0) {
      throw Error(fmt::format("{}: item {} is no whole number from 0 on", what, ids.size()));
    }
    ids.push_back(id);
  }
  return ids;
}

std::string lines_of(const std::vector<std::string>& tokens) {
  std::string text;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (k > 0) text += '\n';
    text += tokens[k];
  }
  return text;
}

PhraseFacts facts_of(const Capture& capture) {
  const auto metadata = SafetensorsFile::open(capture.path).metadata();
  PhraseFacts facts;
  const auto text = metadata.find("phrase");
  facts.text = text != metadata.end() ? text->second : lines_of(capture.tokens);
  const auto ids = metadata.find("token_ids");
  if (ids == metadata.end()) return facts;
  facts.ids = ids_of_json(ids->second, capture.path);
  if (facts.ids.size() != capture.tokens.size()) {
    throw Error(fmt::format("{}: metadata token_ids has {} for {} tokens; expected as many", capture.path,
                            facts.ids.size(), capture.tokens.size()));
  }
  return facts;
}

// One phrase that all layers read.
void check_phrase(const Capture& capture, std::int64_t most_tokens) {
  const auto fail = [&](const std::string& why) { throw Error(capture.path + ": " + why); };
  if (capture.batch != 1) fail(fmt::format("holds a batch of {}; expected one phrase a file", capture.batch));
  if (!capture.named_tokens) fail("names no tokens; expected the metadata tokens, or a list beside it");
  const auto tokens = static_cast<std::int64_t>(capture.tokens.size());
  if (tokens > most_tokens)
    fail(fmt::format("has {} tokens; expected at most {}, as --tokens says", tokens, most_tokens));
  for (std::size_t number = 0; number < capture.layers.size(); ++number) {
    const CapturedLayer& layer = capture.layers[number];
    if (!layer.captured()) continue;
    if (layer.query_len() != tokens || layer.key_len() != tokens || layer.names || capture.named_keys) {
      fail(fmt::format("layer {} has {} queries and {} keys, or names of its own; expected the {} tokens as both",
                       number, layer.query_len(), layer.key_len(), tokens));
    }
  }
}

// This layer alone.
std::shared_ptr<const Capture> only_layer(const Capture& capture, std::int64_t number) {
  const auto only = std::make_shared<Capture>();
  only->path = capture.path;
  only->tokens = capture.tokens;
  only->key_tokens = capture.key_tokens;
  only->named_tokens = capture.named_tokens;
  only->layers.resize(static_cast<std::size_t>(number) + 1);
  only->layers.back() = capture.layers[static_cast<std::size_t>(number)];
  only->batch = capture.batch;
  only->query_len = capture.query_len;
  only->key_len = capture.key_len;
  return only;
}

// What is wrong with the layer's weights; rows of NaN, which a mask hides whole, count nowhere and are not.
std::string problem_of(const Trace& trace, const CancelToken& cancel) {
  CaptureReport report = *trace.model->capture;
  if (report.row_sums) report.row_sums->nan_rows = 0;
  std::string warning = capture_warning(report);
  if (!warning.empty()) return warning;
  const Tensor& weights = trace.tensor(StageId::weights);
  for (std::int64_t h = 0; h < trace.num_heads() && warning.empty(); ++h) {
    cancel.check();
    for_each_row(matrix_at(weights, 0, h), [&](const Index&, std::int64_t i, std::span<const float> w) {
      const bool below = std::any_of(w.begin(), w.end(), [](float weight) { return weight < 0; });
      if (below && warning.empty()) warning = fmt::format("head {}, query {}: a weight is below 0", h, i);
    });
  }
  return warning;
}

}  // namespace

struct CaptureScan::State {
  const CaptureList& list;
  CorpusFacts facts;
  std::vector<std::int64_t> layers;
  std::optional<HeadCounter> counter;
  std::shared_ptr<const Backend> backend;
  ThreadPool threads;

  State(const ScanOptions& options, const CaptureList& of)
      : list(of), backend(make_backend({BackendChoice::cpu, options.threads, false})), threads(options.threads) {}

  void count(std::int64_t index, const CancelToken& cancel);
  void count_layer(const Capture& capture, std::int64_t layer, const std::vector<std::int64_t>& ids,
                   const CancelToken& cancel);
};

CaptureScan::CaptureScan(const ScanOptions& options, const CaptureList& list)
    : state_(std::make_unique<State>(options, list)) {
  State& state = *state_;
  const CaptureHeading& heading = list.heading();
  state.layers = layers_of(options, heading);
  const VectorsWanted vectors = vectors_in(state.layers, heading, options.points);
  state.counter.emplace(
      state.layers, chosen_numbers("heads", options.heads, heads_in(state.layers, heading), "each capture"), vectors);
  state.facts.model = heading.model;
  state.facts.sha256 = heading.sha256;
  state.facts.tokenizer = heading.tokenizer;
  state.facts.most_tokens = options.most_tokens;
  state.facts.list_sha256 = list.sha256();
  state.facts.list_size = list.size();
  state.facts.points = vectors.points;
  state.facts.vector_sizes = vectors.sizes;
}

CaptureScan::~CaptureScan() = default;

CorpusRecord CaptureScan::new_record() const {
  CorpusRecord record;
  record.facts = state_->facts;
  record.heads = state_->counter->fresh();
  return record;
}

void CaptureScan::State::count_layer(const Capture& capture, std::int64_t layer, const std::vector<std::int64_t>& ids,
                                     const CancelToken& cancel) {
  Request request;
  request.model = capture.path;
  request.layer = layer;
  request.backend = BackendChoice::cpu;
  ForwardOptions options;
  options.stage_memory = kStageMemory;
  const auto made = capture_trace(request, only_layer(capture, layer), backend, cancel, options);
  if (const std::string problem = problem_of(*made, cancel); !problem.empty()) {
    throw Error(fmt::format("{}: layer {}: {}", capture.path, layer, problem));
  }
  Trace trace = *made;
  if (!ids.empty()) {
    // By their ids tokens are told apart, as a model's are.
    Inputs inputs = *made->inputs;
    inputs.token_ids = ids;
    trace.inputs = std::make_shared<const Inputs>(std::move(inputs));
  }
  counter->add_layer(layer, trace, threads, cancel);
}

// Counts the capture. Error when it cannot be read.
void CaptureScan::State::count(std::int64_t index, const CancelToken& cancel) {
  const Capture capture = read_capture(list.path(index));
  check_phrase(capture, facts.most_tokens);
  const PhraseFacts phrase = facts_of(capture);
  CountedPhrase counted{short_sha256(phrase.text), index, {}, capture.tokens};
  for (std::size_t k = 0; k < capture.tokens.size(); ++k) {
    counted.tokens.push_back(phrase.ids.empty() ? short_sha256(capture.tokens[k])
                                                : static_cast<std::uint64_t>(phrase.ids[k]));
  }
  counter->begin(std::move(counted));
  for (const std::int64_t layer : layers) {
    cancel.check();
    const auto at = static_cast<std::size_t>(layer);
    if (at >= capture.layers.size() || !capture.layers[at].captured()) {
      throw Error(fmt::format("{}: layer {} was not captured", capture.path, layer));
    }
    count_layer(capture, layer, phrase.ids, cancel);
  }
}

std::string CaptureScan::add(std::int64_t index, CorpusRecord& record, const CancelToken& cancel) {
  State& state = *state_;
  state.list.check_unchanged(index);
  std::string problem = state.list.problem(index);
  if (problem.empty()) {
    try {
      state.count(index, cancel);
    } catch (const Error& error) {
      problem = error.what();
    } catch (const UsageError& error) {
      problem = error.what();
    } catch (const ProblemError& error) {  // more than fits in memory
      problem = error.what();
    }
    state.list.check_unchanged(index);
    check_mapped_files();
  }
  record.scanned.add({index, index + 1});
  if (problem.empty()) {
    state.counter->add_to(record);
  } else {
    ++record.unreadable;
  }
  settle(record);
  return problem;
}

}  // namespace headscope
