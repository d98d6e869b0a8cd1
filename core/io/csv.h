// The contract's CSV: UTF-8, "\n", RFC 4180 quoting, the shortest number that reads back to the same float32.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/tensor/matrix_layout.h"
#include "core/tensor/tensor.h"

namespace headscope {

// "0.25", "1e-08", "-inf", "inf", "nan"; never an empty cell.
std::string number_text(float value);

// The shortest number that reads back to the same double, or "nan".
std::string csv_number(double value);

// A field as RFC 4180 writes it: quoted when it holds a comma, a quote, CR or LF.
std::string csv_field(const std::string& text);

// Text that no spreadsheet takes for a formula: one apostrophe before what begins with = + - @ tab or CR. plain_text()
// takes it away again; a text that had the apostrophe itself loses it there.
std::string safe_text(const std::string& text);
std::string plain_text(const std::string& safe);
std::vector<std::string> safe_texts(std::vector<std::string> texts);

// One [rows, columns] matrix, the corner and the column names in front, each row after its name. Scores: corner
// "query\key", columns are key tokens. Others: corner "token\feature", columns 0, 1, 2, ...
// Asserts that there is a name for each row and column.
void write_csv_matrix(std::ostream& out, const Tensor& matrix, const std::string& corner,
                      const std::vector<std::string>& row_names, const std::vector<std::string>& column_names,
                      const CancelToken& cancel = {});

// What a table with one number a line holds: scores, whose columns are keys; vectors, whose columns are features; or
// vectors of every layer, where layout.batch is the axis of layers and layout.head that of the batch; or numbers of
// heads, whose rows are heads and columns queries.
enum class TableOf { scores, vectors, layers, heads };

struct LongTable {
  TableOf holds{};
  MatrixLayout layout;                         // of `tensor`
  Tensor tensor;                               // the whole
  Region region;                               // the part of it that is written; its indices count in the whole
  std::vector<std::string> row_names;          // one for each row of the whole
  std::vector<std::string> column_names = {};  // but for vectors, one for each column of the whole
};

// One line a number. Scores: batch,head,query,key,query_token,key_token,value. Vectors:
// batch,head,position,feature,token,value, without `head` where the layout has none. Layers:
// layer,batch,position,feature,token,value. Heads: batch,head,query,query_token,value. Lines are sorted by the columns
// in front.
void write_csv_long(std::ostream& out, const LongTable& table, const CancelToken& cancel = {});

// A mask file: plain numbers separated by commas, "inf", "-inf", "nan" allowed, no header; every row the same length.
// Blanks around numbers, CRLF, empty lines at the end and a byte order mark are passed over.
// Error with line and column of the first thing that is no number.
Tensor read_csv_matrix(const std::string& path);

// The same from bytes in memory; `what` names them in errors.
Tensor parse_csv_matrix(std::span<const std::byte> bytes, const std::string& what);

}  // namespace headscope
