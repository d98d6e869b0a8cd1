#include "core/io/json_tensor.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/io/csv.h"
#include "core/io/json_text.h"
#include "core/io/tensor_blocks.h"

namespace headscope {

namespace {

constexpr std::size_t kTextAtOnce = std::size_t{1} << 18;  // bytes

}  // namespace

void write_json_tensor(std::ostream& out, const std::string& stage, const Tensor& tensor, const CancelToken& cancel) {
  const Shape& shape = tensor.shape();
  out << fmt::format("{{\"stage\": {}, \"shape\": {}, \"values\": ", json_dump(stage), to_string(shape));
  // How many values a list of each depth holds: a list begins where the count of values divides by its size.
  std::vector<std::int64_t> sizes;
  std::int64_t inner = 1;
  for (int axis = shape.count - 1; axis >= 0; --axis) sizes.insert(sizes.begin(), inner *= shape[axis]);
  if (tensor.size() == 0) out << "[]";
  std::int64_t at = 0;
  std::string text;
  for_each_block(tensor, cancel, [&](std::span<const float> values) {
    text.clear();
    for (const float value : values) {
      if (at > 0) text += ',';
      if (at > 0 && at % sizes.back() == 0) text += '\n';
      for (const std::int64_t size : sizes) {
        if (at % size == 0) text += '[';
      }
      const bool finite = std::isfinite(value);
      if (!finite) text += '"';
      text += number_text(value);
      if (!finite) text += '"';
      ++at;
      for (const std::int64_t size : sizes) {
        if (at % size == 0) text += ']';
      }
      if (text.size() > kTextAtOnce) {
        out << text;
        text.clear();
      }
    }
    out << text;
  });
  out << "}\n";
}

}  // namespace headscope
