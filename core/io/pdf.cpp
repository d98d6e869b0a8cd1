#include "core/io/pdf.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

#include "core/base/assert.h"
#include "core/base/error.h"

namespace headscope {

namespace {

// With a line feed, which no string of JSON holds: a phrase may say all the rest.
constexpr std::string_view kStreamBegin = " 0 obj\n<< /Type /HeadscopeRecipe";
constexpr std::string_view kEnd = "\nendstream";
constexpr std::size_t kLargestRecipe = std::size_t{32} << 20;
constexpr std::size_t kLongestDictionary = 256;

// The whole number behind the last `key` before `end`; -1 when there is none.
long long number_behind(std::string_view text, std::string_view key, std::size_t end) {
  const std::size_t at = text.rfind(key, end);
  if (at == std::string_view::npos) return -1;
  std::size_t begin = at + key.size();
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\n' || text[begin] == '\r')) ++begin;
  long long number = -1;
  const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return error == std::errc() && number >= 0 ? number : -1;
}

}  // namespace

std::string pdf_with_recipe(std::string pdf, const std::string& json) {
  const std::size_t end = std::string::npos;
  const long long table = number_behind(pdf, "startxref", end), root = number_behind(pdf, "/Root", end);
  const long long size = number_behind(pdf, "/Size", end), info = number_behind(pdf, "/Info", end);
  const std::string opening = fmt::format("\n{} 0 obj\n<<", root);
  const std::size_t catalog = pdf.rfind(opening);
  HEADSCOPE_ASSERT(table >= 0 && root >= 0 && size > 0 && catalog != end, "a PDF with a plain table and a catalog");
  const std::size_t begin = catalog + opening.size(), close = pdf.find("endobj", begin);
  HEADSCOPE_ASSERT(close != end, "a catalog that ends");
  const std::string entries = pdf.substr(begin, close - begin);

  if (!pdf.ends_with('\n')) pdf += '\n';
  const std::size_t stream_at = pdf.size();
  pdf += fmt::format("{}{} /Length {} >>\nstream\n", size, kStreamBegin, json.size());
  pdf += json;
  pdf += fmt::format("{}\nendobj\n", kEnd);
  const std::size_t catalog_at = pdf.size();
  pdf += fmt::format(
      "{} 0 obj\n<< /PieceInfo << /Headscope << /LastModified (D:20000101000000Z) /Private {} 0 R >> >>{}endobj\n",
      root, size, entries);
  const std::size_t table_at = pdf.size();
  pdf += fmt::format("xref\n{} 1\n{:010} 00000 n \n{} 1\n{:010} 00000 n \n", root, catalog_at, size, stream_at);
  pdf += fmt::format("trailer\n<< /Size {} /Root {} 0 R", size + 1, root);
  if (info >= 0) pdf += fmt::format(" /Info {} 0 R", info);
  return pdf + fmt::format(" /Prev {} >>\nstartxref\n{}\n%%EOF\n", table, table_at);
}

bool is_pdf(std::string_view bytes) {
  return bytes.starts_with("%PDF-");
}

std::optional<std::string> pdf_recipe(std::string_view bytes, const std::string& what) {
  constexpr std::string_view kBegin = ">>\nstream\n";
  const std::size_t at = bytes.rfind(kStreamBegin);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = bytes.substr(at);
  const std::size_t stream = rest.substr(0, kLongestDictionary).find(kBegin);
  if (stream == std::string_view::npos) return std::nullopt;
  const long long length = number_behind(rest.substr(0, stream), "/Length", std::string_view::npos);
  const std::size_t begin = stream + kBegin.size();
  if (length < 0 || static_cast<unsigned long long>(length) > kLargestRecipe) {
    throw Error(what + ": the recipe says no length that it can have");
  }
  const auto size = static_cast<std::size_t>(length);
  if (rest.size() - begin < size || !rest.substr(begin + size).starts_with(kEnd)) {
    throw Error(what + ": the recipe inside does not end; it is cut short");
  }
  return std::string(rest.substr(begin, size));
}

}  // namespace headscope
