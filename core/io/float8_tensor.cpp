#include "core/io/float8_tensor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"
#include "core/io/small_floats.h"
#include "core/io/tensor_blocks.h"

namespace headscope {

Tensor float8_or_other(const TensorFile& file, const TensorEntry& entry) {
  const bool e4m3 = entry.dtype == "F8_E4M3", e5m2 = entry.dtype == "F8_E5M2";
  const bool is_float8 = (e4m3 || e5m2) && std::string_view(file.format) == "safetensors";
  if (!is_float8 || entry.shape.size() > kMaxRank) return file.tensor(entry);
  const std::shared_ptr<const MappedFile> mapped = MappedFile::open(file.path);
  const SafetensorsHeader header = parse_safetensors_header(mapped->bytes(), file.path);
  const auto found = std::find_if(header.entries.begin(), header.entries.end(),
                                  [&](const SafetensorsEntry& each) { return each.name == entry.name; });
  if (found == header.entries.end()) return file.tensor(entry);
  Shape shape;
  for (const std::int64_t size : found->shape) shape.push_back(size);
  if (shape.count == 0) shape.push_back(1);
  std::vector<float> values;
  for (const std::byte bits : mapped->bytes().subspan(header.data_begin + found->begin, found->end - found->begin)) {
    const auto number = std::to_integer<std::uint8_t>(bits);
    values.push_back(e4m3 ? float_from_e4m3(number) : float_from_e5m2(number));
  }
  mapped->check_unchanged();
  return tensor_of_values(shape, std::move(values));
}

}  // namespace headscope
