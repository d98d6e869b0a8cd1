#include "core/script/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/base/utf8.h"
#include "core/request/option_text.h"
#include "core/script/script_writer.h"

namespace headscope {
namespace {

// Whether the text fonts of pdflatex (T1 and TS1) have a character.
bool in_text_fonts(std::uint32_t c) {
  constexpr std::uint32_t kLacking[] = {0xAD, 0x126, 0x127, 0x138, 0x13F, 0x140, 0x149, 0x166, 0x167};
  if (c >= 0xA1 && c <= 0x17E) return std::find(std::begin(kLacking), std::end(kLacking), c) == std::end(kLacking);
  constexpr std::uint32_t kSigns[] = {0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2020, 0x2021, 0x2022, 0x20AC};
  return (c >= 0x2010 && c <= 0x2015) || std::find(std::begin(kSigns), std::end(kSigns), c) != std::end(kSigns);
}

}  // namespace

std::string tex_text(std::string_view text, std::size_t most) {
  static const std::map<char, std::string> kWritten = {{'\\', "\\textbackslash{}"}, {'^', "\\textasciicircum{}"},
                                                       {'~', "\\textasciitilde{}"}, {'<', "\\textless{}"},
                                                       {'>', "\\textgreater{}"},    {'|', "\\textbar{}"},
                                                       {'"', "\\textquotedbl{}"},   {'\'', "\\textquotesingle{}"},
                                                       {'`', "\\textasciigrave{}"}, {'-', "-{}"},
                                                       {',', ",\\allowbreak{}"},    {';', ";\\allowbreak{}"},
                                                       {':', ":\\allowbreak{}"},    {'=', "=\\allowbreak{}"},
                                                       {'/', "/\\allowbreak{}"},    {'@', "@\\allowbreak{}"}};
  constexpr int kUnbroken = 24;  // a long word breaks somewhere
  std::string shown;
  const std::string words = comment_text(text, most);
  int since_blank = 0;
  for (std::size_t at = 0; at < words.size();) {
    const CodePoint point = code_point_at(words, at);
    at += static_cast<std::size_t>(point.bytes);
    since_blank = point.value == ' ' ? 0 : since_blank + 1;
    if (since_blank > 0 && since_blank % kUnbroken == 0) shown += "\\allowbreak{}";
    if (point.value >= 0x80) {
      if (in_text_fonts(point.value)) {
        append_utf8(shown, point.value);
      } else {
        shown += fmt::format("{{\\scriptsize U+{:04X}}}\\allowbreak{{}}", point.value);
      }
      continue;
    }
    const auto c = static_cast<char>(point.value);
    const auto written = kWritten.find(c);
    if (written != kWritten.end()) {
      shown += written->second;
      continue;
    }
    if (std::string_view("#$%&_{}").find(c) != std::string_view::npos) shown += '\\';
    shown += c;
  }
  return shown;
}

std::string tex_symbol(std::string_view name) {
  std::string escaped;
  for (const char c : name) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return fmt::format("\\mathit{{{}}}", escaped);
}

std::string tex_symbol(StageId stage) {
  return tex_symbol(stage_name(stage));
}

std::string tex_space(const Shape& shape) {
  std::string sizes;
  for (int axis = 0; axis < shape.count; ++axis) {
    sizes += (axis == 0 ? "" : " \\times ") + std::to_string(shape[axis]);
  }
  return fmt::format("\\mathbb{{R}}^{{{}}}", sizes);
}

std::string tex_number(double value) {
  if (std::isinf(value)) return value > 0 ? "\\infty" : "-\\infty";
  const std::string text = double_text(value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const int power = std::stoi(text.substr(e + 1));
  const std::string digits = text.substr(0, e);
  if (digits == "1" || digits == "-1") return fmt::format("{}10^{{{}}}", digits == "1" ? "" : "-", power);
  return fmt::format("{} \\cdot 10^{{{}}}", digits, power);
}

std::string tex_at(StageId stage, std::string_view indices) {
  return fmt::format("{}_{{{}}}", tex_symbol(stage), indices);
}

std::string tex_short(double value) {
  return tex_number(std::stod(fmt::format("{:.4g}", value)));
}

}  // namespace headscope
