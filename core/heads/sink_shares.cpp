#include "core/heads/sink_shares.h"

#include <algorithm>
#include <cstddef>

#include "core/attention/interventions.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 256;

}  // namespace

SinkShares::SinkShares(const Trace& trace, std::int64_t batch, std::int64_t head) : batch_(batch), head_(head) {
  const Stage* sinks = trace.find(StageId::sink_weights);
  if (sinks == nullptr || frozen_head(trace.request, trace.inputs->layer, head) != nullptr) return;
  shares_ = sinks->tensor;
  takes_part_ = true;
}

std::optional<double> SinkShares::of(std::int64_t i) {
  if (!takes_part_) return std::nullopt;
  if (i < begin_ || i >= begin_ + static_cast<std::int64_t>(read_.size())) {
    begin_ = i;
    const std::int64_t end = std::min(i + kRowsAtOnce, shares_.dim(2));
    read_.resize(static_cast<std::size_t>(end - i));
    shares_.read({{batch_, batch_ + 1}, {head_, head_ + 1}, {i, end}}, read_);
  }
  return static_cast<double>(read_[static_cast<std::size_t>(i - begin_)]);
}

}  // namespace headscope
