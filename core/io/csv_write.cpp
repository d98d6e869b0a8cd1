#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/assert.h"
#include "core/io/csv.h"
#include "core/io/stage_layout.h"

namespace headscope {

namespace {

constexpr std::int64_t kCellsAtOnce = 1 << 16;

void append_number(std::string& text, float value) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  std::array<char, 24> buffer;  // "-1.17549435e-38" is the longest
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), end);
}

// The quoted names of [range) of an axis.
std::vector<std::string> fields_of(const std::vector<std::string>& names, Range range) {
  HEADSCOPE_ASSERT(range.end <= static_cast<std::int64_t>(names.size()),
                   fmt::format("{} names, indices up to {}", names.size(), range.end));
  std::vector<std::string> fields;
  for (std::int64_t i = range.begin; i < range.end; ++i)
    fields.push_back(csv_field(names[static_cast<std::size_t>(i)]));
  return fields;
}

// Reads a matrix a few rows at a time and hands each row on, with its index.
template <typename UseRow>
void for_each_row(const Tensor& matrix, const CancelToken& cancel, const UseRow& use_row) {
  const std::int64_t rows = matrix.dim(0), columns = matrix.dim(1);
  const std::int64_t step = std::max<std::int64_t>(1, kCellsAtOnce / std::max<std::int64_t>(1, columns));
  std::vector<float> values(static_cast<std::size_t>(std::min(step, rows) * columns));
  for (std::int64_t first = 0; first < rows; first += step) {
    cancel.check();
    const Range range{first, std::min(first + step, rows)};
    matrix.read({range, {0, columns}}, std::span(values).first(static_cast<std::size_t>(range.size() * columns)));
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      use_row(row, std::span(values).subspan(static_cast<std::size_t>((row - first) * columns),
                                             static_cast<std::size_t>(columns)));
    }
  }
}

}  // namespace

std::string number_text(float value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

void write_csv_matrix(std::ostream& out, const Tensor& matrix, const std::string& corner,
                      const std::vector<std::string>& row_names, const std::vector<std::string>& column_names,
                      const CancelToken& cancel) {
  HEADSCOPE_ASSERT(matrix.rank() == 2, to_string(matrix.shape()));
  const std::vector<std::string> rows = fields_of(row_names, {0, matrix.dim(0)});
  std::string line = csv_field(corner);
  for (const std::string& field : fields_of(column_names, {0, matrix.dim(1)})) line += "," + field;
  out << line << '\n';
  for_each_row(matrix, cancel, [&](std::int64_t row, std::span<const float> values) {
    line = rows[static_cast<std::size_t>(row)];
    for (const float value : values) {
      line += ',';
      append_number(line, value);
    }
    line += '\n';
    out << line;
  });
}

void write_csv_long(std::ostream& out, StageId stage, const Tensor& tensor, const Region& region,
                    const std::vector<std::string>& row_names, const std::vector<std::string>& column_names,
                    const CancelToken& cancel) {
  const StageLayout layout = stage_layout(stage);
  const bool score_like = is_score_like(stage);
  out << (score_like         ? "batch,head,query,key,query_token,key_token,value\n"
          : layout.head >= 0 ? "batch,head,position,feature,token,value\n"
                             : "batch,position,feature,token,value\n");
  const Range rows = region[layout.rows], columns = region[layout.columns], batches = region[layout.batch];
  const Range heads = layout.head >= 0 ? region[layout.head] : Range{0, 1};
  const std::vector<std::string> row_fields = fields_of(row_names, rows);
  std::vector<std::string> column_fields;
  if (score_like) column_fields = fields_of(column_names, columns);
  std::string text;
  for (std::int64_t b = batches.begin; b < batches.end; ++b) {
    for (std::int64_t h = heads.begin; h < heads.end; ++h) {
      const Tensor matrix = slice_of(stage, tensor, b, h, rows, columns);
      for_each_row(matrix, cancel, [&](std::int64_t row, std::span<const float> values) {
        const std::string& row_field = row_fields[static_cast<std::size_t>(row)];
        text.clear();
        for (std::size_t j = 0; j < values.size(); ++j) {
          const std::int64_t column = columns.begin + static_cast<std::int64_t>(j);
          if (layout.head >= 0) {
            fmt::format_to(std::back_inserter(text), "{},{},{},{},{},", b, h, rows.begin + row, column, row_field);
          } else {
            fmt::format_to(std::back_inserter(text), "{},{},{},{},", b, rows.begin + row, column, row_field);
          }
          if (score_like) text.append(column_fields[j]).append(",");
          append_number(text, values[j]);
          text += '\n';
        }
        out << text;
      });
    }
  }
}

}  // namespace headscope
