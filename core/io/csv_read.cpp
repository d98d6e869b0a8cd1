#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/decimal_text.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/csv.h"
#include "core/io/mapped_file.h"
#include "core/io/tensor_blocks.h"

namespace headscope {

namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// The float32 nearest to the text, or false when it is no number or too large for one.
bool parse_float(std::string_view text, float& value) {
  const char* end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, value);
  if (next != end || text.empty()) return false;
  if (error == std::errc::result_out_of_range) {  // too large, or so small that it is 0 or subnormal
    double wide = 0;
    const auto as_double = std::from_chars(text.data(), end, wide);
    if (as_double.ec != std::errc()) {
      value = text.front() == '-' ? -0.0f : 0.0f;
      return is_below_one(text);
    }
    value = static_cast<float>(wide);
    return std::isfinite(value);
  }
  return error == std::errc();
}

}  // namespace

Tensor parse_csv_matrix(std::span<const std::byte> bytes, const std::string& what) {
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  while (!rest.empty() && std::string_view(" \t\r\n").find(rest.back()) != std::string_view::npos)
    rest.remove_suffix(1);
  if (rest.empty()) throw Error(fmt::format("{}: is empty; expected rows of numbers separated by commas", what));

  std::vector<float> values;
  std::int64_t rows = 0, columns = 0;
  while (true) {
    const std::size_t line_end = rest.find('\n');
    std::string_view line = rest.substr(0, line_end);
    ++rows;
    std::int64_t column = 0;
    while (true) {
      const std::size_t comma = line.find(',');
      const std::string_view cell = without_blanks(line.substr(0, comma));
      ++column;
      float value = 0;
      if (!parse_float(cell, value)) {
        const std::string seen = rows == 1 && column == 1 ? describe_bytes(bytes) : "";
        throw Error(
            fmt::format("{}: line {}, column {}: '{}' is not a number{}{}; expected plain numbers without a header",
                        what, rows, column, shortened(cell), seen.empty() ? "" : ": the file is ", seen));
      }
      values.push_back(value);
      if (comma == line.npos) break;
      line.remove_prefix(comma + 1);
    }
    if (rows == 1) columns = column;
    if (column != columns) {
      throw Error(fmt::format("{}: line {} has {} numbers, line 1 has {}; expected the same in every row", what, rows,
                              column, columns));
    }
    if (line_end == rest.npos) break;
    rest.remove_prefix(line_end + 1);
  }
  return tensor_of_values({rows, columns}, std::move(values));
}

Tensor read_csv_matrix(const std::string& path) {
  const auto file = MappedFile::open(path);
  Tensor matrix = parse_csv_matrix(file->bytes(), path);
  file->check_unchanged();
  return matrix;
}

}  // namespace headscope
