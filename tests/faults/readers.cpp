#include "tests/faults/readers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/tensor/tensor.h"

namespace headscope::test {

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = [] {
    std::vector<Reader> rows;
    for (const auto& part : {array_readers, torch_readers, picture_readers, image_readers, request_readers,
                             model_readers, capture_readers, corpus_readers, tokenizer_readers, window_readers}) {
      const std::vector<Reader> more = part();
      rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
  }();
  return all;
}

std::string text_of(const Tensor& tensor) {
  if (tensor.empty()) return "none";
  std::string text = to_string(tensor.shape()) + ":";
  for (const float value : tensor.values()) text += fmt::format(" {:a}", value);
  return text;
}

}  // namespace headscope::test
