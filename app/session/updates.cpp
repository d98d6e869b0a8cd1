#include "app/session/updates.h"

#include <set>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/model/checkpoint.h"

namespace headscope {

namespace {

// Tensors that share their numbers, views for one, count once.
class StoredTensors {
 public:
  void add(const Tensor& tensor) {
    const void* begin = tensor.stored() ? static_cast<const void*>(tensor.data()) : tensor.two_byte_data();
    if (begin == nullptr || !seen_.insert(begin).second) return;
    bytes_ += static_cast<std::size_t>(tensor.size()) * (tensor.stored() ? sizeof(float) : sizeof(std::uint16_t));
  }

  void add(const Trace& trace) {
    for (const Stage& stage : trace.stages) add(stage.tensor);
    if (trace.inputs == nullptr) return;
    const Inputs& inputs = *trace.inputs;
    for (const Tensor* tensor :
         {&inputs.x, &inputs.key_x, &inputs.value_x, &inputs.query, &inputs.key, &inputs.value}) {
      add(*tensor);
    }
  }

  std::size_t bytes() const { return bytes_; }

 private:
  std::set<const void*> seen_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::size_t stored_bytes(const Trace& trace) {
  StoredTensors tensors;
  tensors.add(trace);
  std::size_t weights = 0;
  if (trace.model != nullptr) {
    for (const auto& layer : trace.model->layers) {
      if (layer != nullptr) tensors.add(*layer);
    }
    for (const Tensor& stream : trace.model->streams) tensors.add(stream);
    if (trace.model->checkpoint != nullptr) weights = static_cast<std::size_t>(trace.model->checkpoint->bytes());
  }
  return tensors.bytes() + weights;
}

void Updates::keep(std::shared_ptr<const Trace> trace) {
  const std::size_t bytes = stored_bytes(*trace);
  kept_.push_back({std::move(trace), ++count_});
  bytes_of_kept_.push_back(bytes);
  bytes_ += bytes;
  while (bytes_ > most_bytes_ && kept_.size() > 2) {
    const std::size_t before = kept_.size();
    leave_out_one();
    if (kept_.size() == before) break;
  }
}

void Updates::leave_out_one() {
  std::size_t least = 0;
  std::int64_t smallest = 0;
  for (std::size_t k = 1; k + 1 < kept_.size(); ++k) {
    if (past_ == k) continue;
    const std::int64_t gap = kept_[k + 1].number - kept_[k - 1].number;
    if (least != 0 && gap >= smallest) continue;
    least = k;
    smallest = gap;
  }
  if (least == 0) return;
  bytes_ -= bytes_of_kept_[least];
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(least));
  bytes_of_kept_.erase(bytes_of_kept_.begin() + static_cast<std::ptrdiff_t>(least));
  if (past_ && *past_ > least) --*past_;
}

void Updates::clear() {
  *this = Updates(most_bytes_);
}

void Updates::show(std::size_t index) {
  past_.reset();
  if (index + 1 < kept_.size()) past_ = index;
}

std::size_t Updates::shown() const {
  return past_ ? *past_ : kept_.empty() ? 0 : kept_.size() - 1;
}

}  // namespace headscope
