#include "core/io/page_recipe.h"

#include "core/base/error.h"
#include "core/io/svg.h"

namespace headscope {
namespace {

constexpr std::string_view kRecipe = "<script type=\"application/json\" id=\"headscope\">", kScriptEnd = "</script>";
constexpr std::size_t kLargestRecipe = std::size_t{32} << 20;

}  // namespace

std::string page_text(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      text += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

std::string page_json(std::string_view id, const std::string& json) {
  return "<script type=\"application/json\" id=\"" + std::string(id) + "\">" + page_text(json) +
         std::string(kScriptEnd);
}

std::string html_text(std::string_view utf8) {
  std::string plain;
  for (const char c : utf8) plain += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return xml_text(plain);
}

bool is_page(std::string_view bytes) {
  return bytes.starts_with(kPageStart);
}

std::optional<std::string> page_recipe(std::string_view bytes, const std::string& what) {
  if (!is_page(bytes)) return std::nullopt;
  const std::string_view end = kPageEnd.substr(0, kPageEnd.size() - 1);  // an editor may take the last line's end away
  if (!bytes.ends_with(end) && !bytes.ends_with(kPageEnd)) {
    throw Error(what + ": the page does not end with </html>; it is cut short");
  }
  const std::size_t at = bytes.find(kRecipe);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + kRecipe.size(), stop = bytes.find(kScriptEnd, begin);
  if (stop == std::string_view::npos) throw Error(what + ": the recipe in the page does not end; it is cut short");
  if (stop - begin > kLargestRecipe) throw Error(what + ": the recipe in the page is larger than 32 MB");
  return std::string(bytes.substr(begin, stop - begin));
}

}  // namespace headscope
