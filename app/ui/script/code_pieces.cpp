#include "app/ui/script/code_pieces.h"

#include <algorithm>
#include <array>

namespace headscope::ui {
namespace {

using Kind = CodePiece::Kind;

constexpr std::array<std::string_view, 27> kKeywords = {
    "False", "None",   "True", "and",  "as",   "assert", "break",  "class",  "continue",
    "def",   "del",    "elif", "else", "for",  "from",   "if",     "import", "in",
    "is",    "lambda", "not",  "or",   "pass", "raise",  "return", "while",  "with"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A letter of a name; bytes above ASCII are letters.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Takes pieces off the front of a line.
class Pieces {
 public:
  explicit Pieces(std::string_view line) : line_(line) {}

  bool more() const { return at_ < line_.size(); }
  char now() const { return line_[at_]; }
  std::string_view rest() const { return line_.substr(at_); }

  void take(std::size_t bytes, Kind kind) {
    const std::size_t end = std::min(at_ + std::max<std::size_t>(bytes, 1), line_.size());
    if (!pieces_.empty() && pieces_.back().kind == kind) {
      pieces_.back().end = end;
    } else {
      pieces_.push_back({kind, at_, end});
    }
    at_ = end;
  }

  // How many bytes at the front fit.
  template <typename Fits>
  std::size_t count(Fits fits) const {
    std::size_t bytes = 0;
    while (at_ + bytes < line_.size() && fits(line_[at_ + bytes])) ++bytes;
    return bytes;
  }

  std::vector<CodePiece> all() { return std::move(pieces_); }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<CodePiece> pieces_;
};

// A number as "1e-5", "0.25", "16".
std::size_t number_size(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const bool sign = (text[size] == '-' || text[size] == '+') && size > 0 && (text[size - 1] == 'e');
    if (!is_digit(text[size]) && text[size] != '.' && !(text[size] == 'e' && size > 0) && !sign) break;
    ++size;
  }
  return size;
}

// From a quote to the same quote; three of them are one.
std::size_t string_size(std::string_view text) {
  const std::string_view three = text.substr(0, 3);
  const bool triple = three.size() == 3 && three[1] == three[0] && three[2] == three[0];
  const std::string_view quote = text.substr(0, triple ? 3 : 1);
  for (std::size_t at = quote.size(); at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text.substr(at).starts_with(quote)) {
      return at + quote.size();
    }
  }
  return text.size();
}

void take_python(Pieces& pieces) {
  const char c = pieces.now();
  const std::string_view rest = pieces.rest();
  if (c == '#') return pieces.take(rest.size(), Kind::comment);
  if (c == '"' || c == '\'') return pieces.take(string_size(rest), Kind::text);
  if (is_digit(c)) return pieces.take(number_size(rest), Kind::number);
  if (!is_letter(c)) return pieces.take(1, Kind::plain);
  const std::size_t size = pieces.count([](char each) { return is_letter(each) || is_digit(each); });
  const std::string_view name = rest.substr(0, size);
  // A letter before a quote belongs to the string: f"...", rb"...".
  const bool quoted = size <= 2 && size < rest.size() && (rest[size] == '"' || rest[size] == '\'');
  if (quoted) return pieces.take(size + string_size(rest.substr(size)), Kind::text);
  const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
  pieces.take(size, keyword ? Kind::keyword : Kind::plain);
}

void take_latex(Pieces& pieces) {
  const char c = pieces.now();
  const std::string_view rest = pieces.rest();
  if (c == '%') return pieces.take(rest.size(), Kind::comment);
  if (c == '$') {
    std::size_t end = rest.find('$', 1);
    while (end != rest.npos && rest[end - 1] == '\\') end = rest.find('$', end + 1);
    return pieces.take(end == rest.npos ? rest.size() : end + 1, Kind::text);
  }
  if (c == '\\') {
    std::size_t size = 1;
    while (size < rest.size() && is_letter(rest[size]) && rest[size] != '_') ++size;
    return pieces.take(std::max<std::size_t>(size, 2), Kind::keyword);
  }
  if (is_digit(c)) return pieces.take(number_size(rest), Kind::number);
  if (is_letter(c)) {
    return pieces.take(pieces.count([](char each) { return is_letter(each) || is_digit(each); }), Kind::plain);
  }
  pieces.take(1, Kind::plain);
}

}  // namespace

std::vector<CodePiece> code_pieces(std::string_view line, ScriptLanguage language) {
  if (line.empty()) return {};
  if (line.starts_with("# ---- ") || line.starts_with("% ---- ")) return {{Kind::heading, 0, line.size()}};
  Pieces pieces(line);
  while (pieces.more()) {
    if (language == ScriptLanguage::latex) {
      take_latex(pieces);
    } else {
      take_python(pieces);
    }
  }
  return pieces.all();
}

}  // namespace headscope::ui
