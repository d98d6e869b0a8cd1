#include "core/sweep/input_attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "core/attention/model_forward.h"
#include "core/attention/model_stages.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/base/thread_pool.h"
#include "core/gradient/embedding_gradient.h"
#include "core/gradient/logit_slopes.h"
#include "core/gradient/model_gradient.h"
#include "core/gradient/rows.h"
#include "core/model/checkpoint.h"
#include "core/model/embedding_sums.h"
#include "core/model/inputs.h"
#include "core/model/named_token.h"
#include "core/request/interventions.h"
#include "core/request/model_kind.h"

namespace headscope {
namespace {

constexpr const char* kMethod = "method";
constexpr const char* kStage = "stage";

void check_request(const Request& request) {
  if (runs_checkpoint(request)) return;
  throw UsageError(kStage,
                   runs_capture(request) ? "found logits with a capture of attention, which has none"
                                         : "found logits with one layer, which has no vocabulary",
                   "--model demo:NAME or PATH, a whole model");
}

void check_run(const Trace& trace) {
  check_model_stage(kStage, trace, ModelStageId::logits);
  check_one_stack(kStage, *trace.model);
  if (trace.inputs->token_ids.empty()) {
    throw UsageError(kStage,
                     fmt::format("found logits by tokens, but what {} reads here is no text", trace.model->name),
                     "a model that reads tokens");
  }
  if (!trace.model->checkpoint->architecture().latents) return;
  throw UsageError(
      kStage,
      fmt::format("found attention by latents in {}, whose embeddings cannot be changed here", trace.model->name),
      "a model without");
}

std::int64_t position_in(const Trace& trace, std::int64_t given) {
  const std::int64_t len = trace.query_len(), position = counted_from_end(given, len);
  if (0 <= position && position < len) return position;
  throw UsageError("at", fmt::format("found position {}, but there are {} tokens", given, len), places_text(len));
}

double logit_of(const Trace& run, const InputAttribution& of, const CancelToken& cancel) {
  const std::vector<float> logits = logits_at(*run.model, 0, of.position, *run.model->backend, cancel);
  const auto at = [&](std::size_t k) { return static_cast<double>(logits[static_cast<std::size_t>(of.ids[k])]); };
  return of.ids.size() == 1 ? at(0) : at(0) - at(1);
}

LogitSlopes slopes_of(const InputAttribution& of) {
  return {{of.position}, [ids = of.ids](std::int64_t, std::span<const float>, std::span<double> out) {
            out[static_cast<std::size_t>(ids[0])] += 1;
            if (ids.size() == 2) out[static_cast<std::size_t>(ids[1])] -= 1;
          }};
}

// Runs of the model in which the rows of tokens count a share of what they are.
class SharedRuns {
 public:
  SharedRuns(Engine& engine, const Request& request, const Trace& own, std::int64_t stage_memory,
             const CancelToken& cancel)
      : request_(request),
        inputs_(engine.read(request, cancel)),
        backend_(own.model->backend),
        sums_(embedding_sums(*inputs_->checkpoint, inputs_->token_ids, inputs_->token_types)) {
    options_.stage_memory = stage_memory;
    options_.reuse = options_.whole_model = true;
  }

  const EmbeddingSums& sums() const { return sums_; }
  std::int64_t len() const { return sums_.words.dim(1); }

  // Positions from `position` on have their final numbers.
  std::shared_ptr<const Trace> run(std::span<const double> shares, std::int64_t position, const CancelToken& cancel) {
    auto inputs = std::make_shared<Inputs>(*inputs_);
    inputs->x = embedded_shares(*inputs->checkpoint, sums_, shares, inputs->batch);
    options_.final_from = position;
    return models_.run(request_, std::move(inputs), backend_, cancel, options_);
  }

 private:
  const Request& request_;
  std::shared_ptr<const Inputs> inputs_;
  std::shared_ptr<const Backend> backend_;
  EmbeddingSums sums_;
  ModelForward models_;  // keeps the rows that the next run does not change
  ModelOptions options_;
};

// (d f / d E[i]) . E[i] of every token of a run whose tokens have the share `share` of their rows.
std::vector<double> gradient_times_rows(const Trace& run, const InputAttribution& of, const EmbeddingSums& sums,
                                        double share, const CancelToken& cancel) {
  const std::vector<std::string> stages = {kStreamPatch};
  const ModelGradients gradients = model_gradients(kMethod, run, slopes_of(of), stages, cancel);
  const GradientRows words = gradient_rows(sums.words);
  GradientRows rows = gradient_rows(sums.rest);
  for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] += share * words.values[k];
  const Tensor* stream = gradients.layers.front().find(kStreamPatch);
  const GradientRows dx = gradient_rows(stream->sliced(0, 0, 1));
  ThreadPool threads(run.request.threads);
  const Checkpoint& checkpoint = *run.model->checkpoint;
  const GradientRows dsums = before_embedding(checkpoint.architecture(), checkpoint.embedding(), rows, dx, threads);
  std::vector<double> values;
  for (std::int64_t i = 0; i < words.count; ++i) {
    const std::span<const double> slope = dsums.row(i), row = words.row(i);
    values.push_back(std::inner_product(slope.begin(), slope.end(), row.begin(), 0.0));
  }
  return values;
}

using Progress = std::function<void(double share)>;

// A part of the path, between two shares of all rows.
struct PathPart {
  double begin = 0, end = 1;
  double change = 0;           // f at its end less f at its beginning
  std::vector<double> tokens;  // the integral over it, of each token
  double error() const { return std::abs(change - std::accumulate(tokens.begin(), tokens.end(), 0.0)); }
};

// The integral along the path. What its parts add up to is known, f at both ends: the part that is farthest from it is
// halved until the whole is near enough, or the nodes are used up.
class Path {
 public:
  Path(const InputAttribution& of, SharedRuns& runs, const CancelToken& cancel)
      : of_(of), runs_(runs), cancel_(cancel), nodes_(gauss_legendre(kPartNodes)) {}

  std::vector<double> integral(std::int64_t most, const Progress& progress) {
    parts_.push_back(part(0, of_.baseline, 1, of_.value));
    while (missing() > enough() && used_ + 2 * kPartNodes <= most) {
      const auto worst = std::max_element(parts_.begin(), parts_.end(),
                                          [](const PathPart& a, const PathPart& b) { return a.error() < b.error(); });
      // Behind a norm the logit bends by factors: near zero what counts is the ratio of both ends.
      const double middle = worst->begin > 0 ? std::sqrt(worst->begin * worst->end) : worst->end / 16;
      if (middle <= worst->begin || middle >= worst->end) break;
      const double at_begin = value_at(worst->begin), at_middle = value_at(middle);
      PathPart first = part(worst->begin, at_begin, middle, at_middle);
      PathPart second = part(middle, at_middle, worst->end, at_begin + worst->change);
      *worst = std::move(first);
      parts_.push_back(std::move(second));
      if (progress) progress(static_cast<double>(used_) / static_cast<double>(most));
    }
    std::vector<double> sum(static_cast<std::size_t>(runs_.len()));
    for (const PathPart& each : parts_) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += each.tokens[i];
    }
    return sum;
  }

  std::int64_t used() const { return used_; }

 private:
  static constexpr std::int64_t kPartNodes = 8;

  double missing() const {
    double sum = 0;
    for (const PathPart& each : parts_) sum += each.error();
    return sum;
  }

  double enough() const {
    return std::max(1e-3 * std::abs(of_.total()), 1e-5 * std::max(std::abs(of_.value), std::abs(of_.baseline)));
  }

  double value_at(double share) {
    if (share <= 0) return of_.baseline;
    const std::vector<double> shares(static_cast<std::size_t>(runs_.len()), share);
    return logit_of(*runs_.run(shares, of_.position, cancel_), of_, cancel_);
  }

  PathPart part(double begin, double at_begin, double end, double at_end) {
    PathPart result{begin, end, at_end - at_begin, std::vector<double>(static_cast<std::size_t>(runs_.len()))};
    for (const PathNode& node : nodes_) {
      const double share = begin + (end - begin) * node.share;
      const std::vector<double> shares(result.tokens.size(), share);
      const auto run = runs_.run(shares, 0, cancel_);
      const std::vector<double> here = gradient_times_rows(*run, of_, runs_.sums(), share, cancel_);
      for (std::size_t i = 0; i < here.size(); ++i) result.tokens[i] += (end - begin) * node.weight * here[i];
    }
    used_ += kPartNodes;
    return result;
  }

  const InputAttribution& of_;
  SharedRuns& runs_;
  const CancelToken& cancel_;
  std::vector<PathNode> nodes_;
  std::vector<PathPart> parts_;
  std::int64_t used_ = 0;
};

// It goes from the last token to the first: in a causal model the rows before a token are those of the run before.
void occlude(InputAttribution& result, SharedRuns& runs, const CancelToken& cancel, const Progress& progress) {
  const auto len = static_cast<std::size_t>(runs.len());
  result.tokens.assign(len, 0.0);
  for (std::size_t i = len; i-- > 0;) {
    std::vector<double> shares(len, 1.0);
    shares[i] = 0;
    result.tokens[i] = result.value - logit_of(*runs.run(shares, result.position, cancel), result, cancel);
    if (progress) progress(static_cast<double>(len - i) / static_cast<double>(len));
  }
}

}  // namespace

double InputAttribution::sum() const {
  return std::accumulate(tokens.begin(), tokens.end(), 0.0);
}

InputAttribution input_attribution(EngineOptions options, const InputQuestion& question, const CancelToken& cancel,
                                   const Progress& progress) {
  check_request(question.request);
  options.whole_model = true;
  options.reuse = false;
  const std::int64_t memory = options.stage_memory;
  Engine engine(std::move(options));
  InputAttribution result;
  result.trace = engine.run(question.request, cancel);
  check_run(*result.trace);
  result.position = position_in(*result.trace, question.position);
  for (const std::string& token : question.tokens) {
    result.ids.push_back(named_token(*result.trace->model->checkpoint, "token", token));
  }
  if (question.method != InputMethod::occlusion) check_gradient(kMethod, *result.trace);
  result.value = logit_of(*result.trace, result, cancel);
  SharedRuns runs(engine, question.request, *result.trace, memory, cancel);
  const std::vector<double> none(static_cast<std::size_t>(runs.len()), 0.0);
  result.baseline = logit_of(*runs.run(none, result.position, cancel), result, cancel);
  switch (question.method) {
    case InputMethod::gradient_input:
      result.tokens = gradient_times_rows(*result.trace, result, runs.sums(), 1.0, cancel);
      break;
    case InputMethod::integrated: {
      Path path(result, runs, cancel);
      result.tokens = path.integral(question.steps, progress);
      result.steps = path.used();
      break;
    }
    case InputMethod::occlusion:
      occlude(result, runs, cancel, progress);
      break;
  }
  return result;
}

std::vector<PathNode> gauss_legendre(std::int64_t count) {
  std::vector<PathNode> nodes;
  const auto n = static_cast<double>(count);
  for (std::int64_t k = count; k > 0; --k) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(k) - 0.25) / (n + 0.5)), slope = 1;
    for (int round = 0; round < 100; ++round) {
      double before = 1, here = x;  // P_0 and P_1
      for (std::int64_t m = 1; m < count; ++m) {
        const auto degree = static_cast<double>(m);
        before = std::exchange(here, ((2 * degree + 1) * x * here - degree * before) / (degree + 1));
      }
      slope = n * (x * here - before) / (x * x - 1);
      const double step = here / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    nodes.push_back({(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

}  // namespace headscope
