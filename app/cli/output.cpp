#include "app/cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/base/standard_streams.h"
#include "core/base/utf8.h"
#include "core/io/mapping_guard.h"

namespace headscope::cli {

namespace {

bool is_control(std::uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool bidi =
      c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return control || bidi || c == 0x2028 || c == 0x2029;
}

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

std::string line_of(const char* kind, std::string_view sentence) {
  return std::string("headscope-cli: ") + kind + ": " + printable(sentence) + "\n";
}

}  // namespace

void print(std::string_view text) {
  check_mapped_files();
  check_memory();
  const int failure = say_on_standard_output(text);
  if (failure == EPIPE) throw ReaderLeft();
  if (failure != 0) throw no_standard_output(failure);
}

void print_error(std::string_view sentence) {
  say_on_standard_error(line_of("error", sentence));
}

void print_notice(std::string_view sentence) {
  say_on_standard_error(line_of("notice", sentence));
}

void print_notices(const std::vector<std::string>& sentences) {
  std::string lines;
  for (const std::string& sentence : sentences) lines += line_of("notice", sentence);
  check_memory();
  if (!lines.empty()) say_on_standard_error(lines);
}

std::string printable(std::string_view text) {
  std::string clean = printable_lines(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return clean;
}

std::string printable_lines(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool blank = point.value == '\n' || point.value == '\t';
    if (point.valid && (blank || !is_control(point.value))) {
      clean.append(text.substr(at, static_cast<std::size_t>(point.bytes)));
    } else {
      clean += "\xef\xbf\xbd";
    }
    at += static_cast<std::size_t>(point.bytes);
  }
  return clean;
}

std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(columns.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], code_points(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - code_points(row[c]), ' ');
      if (c > 0) line += "  ";
      line += columns[c].right ? blanks + row[c] : row[c] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e5)) return fmt::format("{:.3e}", value);
  return fmt::format("{:.4f}", value);
}

std::string size_text(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} bytes", bytes);
  const char* const units[] = {"KB", "MB", "GB", "TB"};
  int unit = -1;
  while (bytes >= 999.95 && unit < 3) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

std::string counted(std::int64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace headscope::cli
