#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/assert.h"
#include "core/base/thread_pool.h"
#include "core/io/csv.h"

namespace headscope {

namespace {

constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 22;  // read in one region: 16 MB
constexpr std::int64_t kCellsAPiece = std::int64_t{1} << 15;  // put into text by one thread, then written
constexpr std::size_t kNumberBytes = 16;                      // "-1.17549435e-38" is the longest

// Writes number_text(value) and returns its end; there is room for kNumberBytes.
char* put_number(char* to, float value) {
  // Half of a causal map is 0, and a first row is 1.
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (bits == 0) {
    *to = '0';
    return to + 1;
  }
  if (bits == std::bit_cast<std::uint32_t>(1.0F)) {
    *to = '1';
    return to + 1;
  }
  if (std::isnan(value)) return std::copy_n("nan", 3, to);
  return std::to_chars(to, to + kNumberBytes, value).ptr;
}

char* put_text(char* to, const std::string& text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
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

// Rows as text: read in large regions, put into text by several threads, written in their order.
class RowWriter {
 public:
  RowWriter(std::ostream& out, const CancelToken& cancel)
      : out_(out), cancel_(cancel), pool_(0), pieces_(static_cast<std::size_t>(std::min(4 * pool_.threads(), 32))) {}

  // `put_row` takes a place with room for `row_bytes`, the index of a row and its values, and returns where its text
  // ends. It is called by several threads at once.
  template <typename PutRow>
  void write(const Tensor& matrix, std::size_t row_bytes, const PutRow& put_row) {
    const std::int64_t rows = matrix.dim(0), columns = matrix.dim(1), cells = std::max<std::int64_t>(columns, 1);
    const std::int64_t step = std::clamp<std::int64_t>(kCellsAtOnce / cells, 1, std::max<std::int64_t>(rows, 1));
    values_.resize(static_cast<std::size_t>(step * columns));
    for (std::int64_t first = 0; first < rows; first += step) {
      cancel_.check();
      const Range read{first, std::min(first + step, rows)};
      matrix.read({read, {0, columns}}, std::span(values_).first(static_cast<std::size_t>(read.size() * columns)));
      write_read(read, std::max<std::int64_t>(1, kCellsAPiece / cells), row_bytes, [&](char* to, std::int64_t row) {
        return put_row(
            to, row,
            std::span<const float>(values_.data() + (row - first) * columns, static_cast<std::size_t>(columns)));
      });
    }
  }

 private:
  struct Piece {
    Range rows;
    std::unique_ptr<char[]> text;
    std::size_t room = 0, size = 0;
  };

  template <typename PutRow>
  void write_read(Range rows, std::int64_t rows_a_piece, std::size_t row_bytes, const PutRow& put_row) {
    for (std::int64_t next = rows.begin; next < rows.end;) {
      cancel_.check();
      std::int64_t count = 0;
      for (Piece& piece : pieces_) {
        if (next == rows.end) break;
        piece.rows = {next, std::min(next + rows_a_piece, rows.end)};
        next = piece.rows.end;
        ++count;
      }
      pool_.run(count, true, [&](std::int64_t k) {
        Piece& piece = pieces_[static_cast<std::size_t>(k)];
        const std::size_t room = static_cast<std::size_t>(piece.rows.size()) * row_bytes;
        if (room > piece.room) piece.text = std::make_unique_for_overwrite<char[]>(piece.room = room);
        char* to = piece.text.get();
        for (std::int64_t row = piece.rows.begin; row < piece.rows.end; ++row) to = put_row(to, row);
        piece.size = static_cast<std::size_t>(to - piece.text.get());
      });
      for (std::int64_t k = 0; k < count; ++k) {
        const Piece& piece = pieces_[static_cast<std::size_t>(k)];
        out_.write(piece.text.get(), static_cast<std::streamsize>(piece.size));
      }
    }
  }

  std::ostream& out_;
  const CancelToken& cancel_;
  ThreadPool pool_;
  std::vector<Piece> pieces_;
  std::vector<float> values_;
};

// The bytes of the longest.
std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t most = 0;
  for (const std::string& text : texts) most = std::max(most, text.size());
  return most;
}

}  // namespace

std::string number_text(float value) {
  std::array<char, kNumberBytes> text;
  return {text.data(), put_number(text.data(), value)};
}

std::string csv_number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
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

namespace {

bool begins_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

}  // namespace

std::string safe_text(const std::string& text) {
  return begins_formula(text) ? "'" + text : text;
}

std::string plain_text(const std::string& safe) {
  return safe.starts_with('\'') && begins_formula(std::string_view(safe).substr(1)) ? safe.substr(1) : safe;
}

std::vector<std::string> safe_texts(std::vector<std::string> texts) {
  for (std::string& text : texts) text = safe_text(text);
  return texts;
}

void write_csv_matrix(std::ostream& out, const Tensor& matrix, const std::string& corner,
                      const std::vector<std::string>& row_names, const std::vector<std::string>& column_names,
                      const CancelToken& cancel) {
  HEADSCOPE_ASSERT(matrix.rank() == 2, to_string(matrix.shape()));
  const std::vector<std::string> rows = fields_of(row_names, {0, matrix.dim(0)});
  std::string line = csv_field(corner);
  for (const std::string& field : fields_of(column_names, {0, matrix.dim(1)})) line += "," + field;
  out << line << '\n';
  const std::size_t row_bytes = longest(rows) + static_cast<std::size_t>(matrix.dim(1)) * (kNumberBytes + 1) + 1;
  RowWriter(out, cancel).write(matrix, row_bytes, [&](char* to, std::int64_t row, std::span<const float> values) {
    to = put_text(to, rows[static_cast<std::size_t>(row)]);
    for (const float value : values) {
      *to++ = ',';
      to = put_number(to, value);
    }
    *to++ = '\n';
    return to;
  });
}

void write_csv_long(std::ostream& out, const LongTable& table, const CancelToken& cancel) {
  const MatrixLayout& layout = table.layout;
  const Region& region = table.region;
  const bool score_like = table.holds == TableOf::scores, of_heads = table.holds == TableOf::heads;
  out << (of_heads                         ? "batch,head,query,query_token,value\n"
          : score_like                     ? "batch,head,query,key,query_token,key_token,value\n"
          : table.holds == TableOf::layers ? "layer,batch,position,feature,token,value\n"
          : layout.head >= 0               ? "batch,head,position,feature,token,value\n"
                                           : "batch,position,feature,token,value\n");
  const Range rows = region[layout.rows], columns = region[layout.columns], batches = region[layout.batch];
  const Range heads = layout.head >= 0 ? region[layout.head] : Range{0, 1};
  const std::vector<std::string> row_fields = fields_of(table.row_names, rows);
  std::vector<std::string> column_fields;
  if (score_like || of_heads) column_fields = fields_of(table.column_names, columns);
  constexpr std::size_t kIndexBytes = 20;  // of 64 bits, with its comma
  const std::size_t cell_bytes = 4 * kIndexBytes + longest(row_fields) + longest(column_fields) + kNumberBytes + 3;
  const std::size_t row_bytes = static_cast<std::size_t>(columns.size()) * cell_bytes;
  const auto put_index = [](char* to, std::int64_t index) {
    to = std::to_chars(to, to + kIndexBytes, index).ptr;
    *to++ = ',';
    return to;
  };
  RowWriter writer(out, cancel);
  for (std::int64_t b = batches.begin; b < batches.end; ++b) {
    for (std::int64_t h = heads.begin; h < heads.end; ++h) {
      const Tensor matrix = matrix_of(table.tensor, layout, b, h, rows, columns);
      writer.write(matrix, row_bytes, [&](char* to, std::int64_t row, std::span<const float> values) {
        for (std::size_t j = 0; j < values.size(); ++j) {
          to = put_index(to, b);
          if (layout.head >= 0) to = put_index(to, h);
          to = put_index(to, rows.begin + row);
          to = put_index(to, columns.begin + static_cast<std::int64_t>(j));
          if (!of_heads) {
            to = put_text(to, row_fields[static_cast<std::size_t>(row)]);
            *to++ = ',';
          }
          if (score_like || of_heads) {
            to = put_text(to, column_fields[j]);
            *to++ = ',';
          }
          to = put_number(to, values[j]);
          *to++ = '\n';
        }
        return to;
      });
    }
  }
}

}  // namespace headscope
