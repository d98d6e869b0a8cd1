#include "app/session/background/precision_numbers.h"

#include <chrono>
#include <exception>
#include <utility>

#include "app/session/background/work/latest_work.h"
#include "core/base/memory_failures.h"

namespace headscope {
namespace {

PrecisionResult result_of(const PrecisionQuery& query, const CancelToken& cancel) {
  const auto start = std::chrono::steady_clock::now();
  PrecisionResult result;
  result.of = query;
  try {
    result.refusal = precision_refusal(*query.trace, query.roundings);
    if (result.refusal.empty()) result.report = precision_report(query.trace, query.roundings, cancel);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    result.refusal = failure_words(error);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

struct PrecisionNumbers::Impl {
  LatestWork<PrecisionQuery, std::shared_ptr<const PrecisionResult>> work;
};

PrecisionNumbers::PrecisionNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(new Impl{{std::move(executor), std::move(wake), [](const PrecisionQuery& query, const CancelToken& cancel) {
                        return std::make_shared<const PrecisionResult>(result_of(query, cancel));
                      }}}) {}

PrecisionNumbers::~PrecisionNumbers() = default;

std::shared_ptr<const PrecisionResult> PrecisionNumbers::want(const PrecisionQuery& query) {
  const auto newest = impl_->work.want(query);
  return newest != nullptr ? newest->answer.value_or(nullptr) : nullptr;
}

bool PrecisionNumbers::busy() const {
  return impl_->work.busy();
}

}  // namespace headscope
