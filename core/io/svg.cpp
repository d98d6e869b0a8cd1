#include "core/io/svg.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace headscope {

namespace {

constexpr std::string_view kOpening = "<metadata", kId = "id=\"headscope\"", kEnd = "</metadata>";
constexpr std::size_t kLongestTag = 4096;
constexpr std::size_t kLargestRecipe = std::size_t{32} << 20;

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};

bool is_noncharacter(std::uint32_t point) {
  return (point & 0xFFFE) == 0xFFFE || (point >= 0xFDD0 && point <= 0xFDEF);
}

void append_escaped(std::string& text, std::string_view bytes) {
  for (const char c : bytes) {
    bool special = false;
    for (const auto& [name, character] : kEntities) {
      if (c != character || c == '\'') continue;
      text += fmt::format("&{};", name);
      special = true;
    }
    if (!special) text += c;
  }
}

std::string unescaped(std::string_view text, const std::string& what) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '&') {
      result += text[at];
      continue;
    }
    const std::size_t end = text.substr(at, 8).find(';');
    const std::string_view name = end == std::string_view::npos ? "" : text.substr(at + 1, end - 1);
    bool known = false;
    for (const auto& [entity, character] : kEntities) {
      if (name != entity) continue;
      result += character;
      known = true;
    }
    if (!known) {
      throw Error(what +
                  ": the recipe in its metadata is damaged: expected &amp;, &lt;, &gt;, &quot; or &apos; at '&'");
    }
    at += end;
  }
  return result;
}

}  // namespace

std::string xml_text(std::string_view utf8) {
  std::string text;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    const auto bytes = static_cast<std::size_t>(point.bytes);
    if (!point.valid || is_noncharacter(point.value) || (point.value >= 0x80 && point.value < 0xA0)) {
      append_utf8(text, 0xFFFD);
    } else if (point.value < 0x20) {
      append_utf8(text, 0x2400 + point.value);
    } else if (point.value == 0x7F) {
      append_utf8(text, 0x2421);
    } else {
      append_escaped(text, utf8.substr(at, bytes));
    }
    at += bytes;
  }
  return text;
}

std::string svg_metadata(const std::string& json) {
  std::string text = "<metadata id=\"headscope\">";
  for (std::size_t at = 0; at < json.size();) {
    const CodePoint point = code_point_at(json, at);
    const auto bytes = static_cast<std::size_t>(point.bytes);
    if (point.value >= 0x7F && (point.value < 0xA0 || is_noncharacter(point.value))) {
      // Beyond ASCII JSON has nothing but strings: an escape says the same. Above U+FFFF it takes two.
      if (point.value > 0xFFFF) {
        const std::uint32_t rest = point.value - 0x10000;
        text += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
      } else {
        text += fmt::format("\\u{:04x}", point.value);
      }
    } else {
      append_escaped(text, std::string_view(json).substr(at, bytes));
    }
    at += bytes;
  }
  return text + "</metadata>";
}

bool is_svg(std::string_view bytes) {
  std::size_t at = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (;;) {
    at = bytes.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = bytes.substr(at);
    if (rest.starts_with("<svg")) return true;
    const std::string_view end = rest.starts_with("<!--") ? "-->" : rest.starts_with("<?xml") ? "?>" : ">";
    if (!rest.starts_with("<!--") && !rest.starts_with("<?xml") && !rest.starts_with("<!DOCTYPE svg")) return false;
    const std::size_t over = rest.find(end);
    if (over == std::string_view::npos) return false;
    at += over + end.size();
  }
}

namespace {

// <svg ... />, the drawing of nothing.
bool is_empty_element(std::string_view bytes) {
  const std::size_t root = bytes.find("<svg");
  const std::size_t close = root == std::string_view::npos ? root : bytes.find('>', root);
  return close != std::string_view::npos && bytes[close - 1] == '/';
}

// Only blanks and comments may follow the drawing's end.
void check_end(std::string_view bytes, const std::string& what) {
  if (is_empty_element(bytes)) return;
  constexpr std::string_view kLast = "</svg>";
  const std::size_t last = bytes.rfind(kLast);
  std::string_view rest = last == std::string_view::npos ? "<" : bytes.substr(last + kLast.size());
  for (;;) {
    const std::size_t at = rest.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos) return;
    rest.remove_prefix(at);
    const std::size_t over = rest.starts_with("<!--") ? rest.find("-->") : std::string_view::npos;
    if (over == std::string_view::npos) throw Error(what + ": does not end with </svg>; it is cut short");
    rest.remove_prefix(over + 3);
  }
}

}  // namespace

std::optional<std::string> svg_recipe(std::string_view bytes, const std::string& what) {
  check_end(bytes, what);
  for (std::size_t at = bytes.find(kOpening); at != std::string_view::npos; at = bytes.find(kOpening, at + 1)) {
    const std::size_t length = bytes.substr(at, kLongestTag).find('>');
    if (length == std::string_view::npos || bytes.substr(at, length).find(kId) == std::string_view::npos) continue;
    const std::size_t open = at + length;
    const std::size_t end = bytes.find(kEnd, open);
    if (end == std::string_view::npos) throw Error(what + ": the recipe in its metadata does not end; it is cut short");
    if (end - open > kLargestRecipe) throw Error(what + ": the recipe in its metadata is larger than 32 MB");
    return unescaped(bytes.substr(open + 1, end - open - 1), what);
  }
  return std::nullopt;
}

}  // namespace headscope
