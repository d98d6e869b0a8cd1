#include "app/session/background/precision_numbers.h"

#include <chrono>
#include <exception>
#include <utility>

#include "app/session/background/latest_work.h"

namespace headscope {
namespace {

PrecisionLook look_of(const std::shared_ptr<const Trace>& trace, const CancelToken& cancel) {
  const auto start = std::chrono::steady_clock::now();
  PrecisionLook look;
  look.of = trace;
  try {
    look.refusal = precision_refusal(*trace);
    if (look.refusal.empty()) look.report = precision_report(trace, cancel);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    look.refusal = error.what();
  }
  look.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return look;
}

}  // namespace

struct PrecisionNumbers::Impl {
  LatestWork<std::shared_ptr<const Trace>, std::shared_ptr<const PrecisionLook>> work;
};

PrecisionNumbers::PrecisionNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(new Impl{{std::move(executor), std::move(wake), [](const auto& trace, const CancelToken& cancel) {
                        return std::make_shared<const PrecisionLook>(look_of(trace, cancel));
                      }}}) {}

PrecisionNumbers::~PrecisionNumbers() = default;

std::shared_ptr<const PrecisionLook> PrecisionNumbers::want(const std::shared_ptr<const Trace>& trace) {
  const auto newest = impl_->work.want(trace);
  return newest != nullptr ? newest->answer.value_or(nullptr) : nullptr;
}

bool PrecisionNumbers::busy() const {
  return impl_->work.busy();
}

}  // namespace headscope
