// Judges attention that this program has computed itself, by tensors in memory: the verdict, where, which mistake.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/diagnose/diagnose_arrays.h"
#include "core/diagnose/mistake_rows.h"

namespace {

using headscope::Axis;
using headscope::Tensor;

// [1 batch item, 1 head, 2 positions, `features`] of numbers that lie here already.
Tensor tensor_of(const std::shared_ptr<std::vector<float>>& numbers, std::int64_t features) {
  return Tensor::view_of(numbers, numbers->data(), {1, 1, 2, features}, {2 * features, 2 * features, features, 1},
                         {Axis::batch, Axis::head, Axis::position, Axis::feature});
}

}  // namespace

int main() {
  using Numbers = std::vector<float>;
  const auto query = std::make_shared<Numbers>(Numbers{1, 2, 0, -1, 0.5F, 1, 3, -2});
  const auto key = std::make_shared<Numbers>(Numbers{0.5F, 0.25F, 1, 0, -0.5F, 0.75F, 0.5F, 1});
  const auto value = std::make_shared<Numbers>(Numbers{1, -1});
  // Scores 1 and 0 of the first query, 3.75 and 0 of the second: this program forgets to divide them by 2.
  const auto context = std::make_shared<Numbers>();
  for (int i = 0; i < 2; ++i) {
    float scores[2] = {0, 0};
    for (int j = 0; j < 2; ++j) {
      for (int d = 0; d < 4; ++d) scores[j] += query->at(4 * i + d) * key->at(4 * j + d);
    }
    const float left = std::exp(scores[0]), right = std::exp(scores[1]);
    context->push_back((left * value->at(0) + right * value->at(1)) / (left + right));
  }

  const headscope::AttentionArrays ours{tensor_of(query, 4), tensor_of(key, 4), tensor_of(value, 1), {}, {}};
  const headscope::Diagnosis found =
      headscope::diagnose_arrays(ours, {{headscope::StageId::context, tensor_of(context, 1)}});
  std::printf("%s\n%s\n", found.verdict().c_str(), found.stages.front().where.sentence.c_str());
  for (const headscope::DiagnosisExplanation& each : found.explanations) {
    for (const std::string& name : each.variants) {
      const headscope::MistakeRow* row = headscope::mistake_named(name);
      std::printf("%s: %s\n", name.c_str(), row == nullptr ? "" : std::string(row->right).c_str());
    }
  }
}
