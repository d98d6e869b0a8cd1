// Output to the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

// Thrown when the reader of standard output has closed the pipe (| head): the program then ends without a message.
struct ReaderLeft {};

// Thrown after the answer is printed when a command was asked to check that two results are equal (--check) and they
// are not: the program then ends with 4.
struct CheckFailed {};

// Writes to standard output and flushes. Error when that fails (a full disk) or a mapped file changed, of which the
// text may tell (check_mapped_files); ReaderLeft when the pipe is closed.
void print(std::string_view text);

// "headscope-cli: error: SENTENCE" as one line on standard error.
void print_error(std::string_view sentence);
// "headscope-cli: notice: SENTENCE": the result was made in another way than the user asked for.
void print_notice(std::string_view sentence);
// Several of them, all or none: memory that failed before they could be put together is an error without them.
void print_notices(const std::vector<std::string>& sentences);

// Text without control characters, bidi overrides or invalid UTF-8, each replaced by U+FFFD: safe to show.
std::string printable(std::string_view text);

// The same of a text in lines: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

// Columns padded to the widest cell, two blanks between them; no blanks at line ends. The first row is the heading.
struct Column {
  bool right = false;  // numbers
};
std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

// "-0.5210", "1.2e-05", "nan", "inf".
std::string short_number(double value);
// "312 bytes", "4.1 KB", "1.2 GB".
std::string size_text(double bytes);
// "1 row", "3 rows".
std::string counted(std::int64_t count, const std::string& thing);

}  // namespace headscope::cli
