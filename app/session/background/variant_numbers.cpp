#include "app/session/background/variant_numbers.h"

#include <chrono>
#include <utility>

#include "app/session/background/work/latest_work.h"
#include "core/base/memory_failures.h"
#include "core/compare/variant_run.h"

namespace headscope {
namespace {

StageId last_stage(const Trace& trace) {
  return trace.find(StageId::output) != nullptr ? StageId::output : StageId::concat;
}

}  // namespace

struct VariantNumbers::Impl {
  using Look = std::shared_ptr<const VariantResult>;
  using Work = LatestWork<VariantQuery, Look>;

  Impl(std::unique_ptr<Executor> executor, std::function<void()> wake)
      : work(std::move(executor), std::move(wake),
             [this](const VariantQuery& query, const CancelToken& cancel, const Work::Publish& publish) {
               return result_of(query, cancel, publish);
             }) {}

  Look result_of(const VariantQuery& query, const CancelToken& cancel, const Work::Publish& publish) {
    VariantResult made;
    made.of = query;
    try {
      make(made, cancel, publish);
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {
      made = VariantResult();
      made.of = query;
      made.refusal = failure_words(error);
    }
    return newest = std::make_shared<const VariantResult>(std::move(made));
  }

  void make(VariantResult& made, const CancelToken& cancel, const Work::Publish& publish) {
    const std::shared_ptr<const Trace>& trace = made.of.trace;
    made.refusal = rerun_refusal(*trace);
    if (!made.refusal.empty()) return;
    if (!backend || threads != trace->request.threads) {
      threads = trace->request.threads;
      backend = make_cpu_backend(threads);
    }
    const Look before = newest;
    const bool same_trace = before && before->of.trace == trace && before->right;
    made.right = same_trace ? before->right : rerun(*trace, {}, backend, cancel);
    made.last = last_stage(*made.right);
    made.problem = variant_problem(*trace, made.of.picked);
    if (!made.problem) {
      made.wrong = rerun(*trace, made.of.picked, backend, cancel);
      made.difference = difference_trace(made.right, made.wrong);
      made.effect = std::make_shared<const VariantEffect>(variant_effect(*made.right, *made.wrong, cancel));
    }
    if (same_trace && !before->lines.empty()) {
      made.lines = before->lines;
      made.seconds = before->seconds;
      return;
    }
    // What is picked comes first where all of them take a while.
    constexpr double kWhile = 0.05;
    const auto start = std::chrono::steady_clock::now();
    const double estimate = made.right->seconds * static_cast<double>(variant_names().size());
    if (estimate > kWhile) publish(newest = std::make_shared<const VariantResult>(made));
    for (const std::string_view name : variant_names()) made.lines.push_back(line_of(name, made, cancel));
    made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  VariantLine line_of(std::string_view name, const VariantResult& made, const CancelToken& cancel) const {
    VariantLine line;
    line.name = name;
    line.problem = variant_problem(*made.right, {line.name});
    if (line.problem) return line;
    const auto wrong = rerun(*made.right, {line.name}, backend, cancel);
    const StageDifference last = stage_difference(made.last, made.right->tensor(made.last), wrong->tensor(made.last));
    const StageDifference weights =
        stage_difference(StageId::weights, made.right->tensor(StageId::weights), wrong->tensor(StageId::weights));
    line.largest = last.largest;
    line.changes = !last.same_shape || !last.equal;
    line.nan_rows = weights.same_shape ? weights.wrong_nan_rows - weights.right_nan_rows : 0;
    return line;
  }

  // Touched by the work only.
  std::shared_ptr<const Backend> backend;
  int threads = -1;
  Look newest;  // what it can go on from
  Work work;    // last: it ends before what it uses
};

VariantNumbers::VariantNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake))) {}

VariantNumbers::~VariantNumbers() = default;

std::shared_ptr<const VariantResult> VariantNumbers::want(const VariantQuery& query) {
  const auto newest = impl_->work.want(query);
  return newest != nullptr ? newest->answer.value_or(nullptr) : nullptr;
}

bool VariantNumbers::busy() const {
  return impl_->work.busy();
}

}  // namespace headscope
