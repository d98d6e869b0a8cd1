#include "core/text/case_fold.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/base/utf8.h"

namespace headscope {
namespace {

std::string ascii_folded(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::string case_folded(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return ascii_folded(text);
  }
  utf8proc_uint8_t* bytes = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &bytes, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(bytes, &std::free);
  if (size < 0) return ascii_folded(text);
  const std::string_view folded(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  std::string result;
  result.reserve(folded.size());
  for (std::size_t at = 0; at < folded.size();) {
    const CodePoint point = code_point_at(folded, at);
    const bool accent = point.value >= 0x300 && point.value <= 0x36F;
    if (!accent) result.append(folded.substr(at, static_cast<std::size_t>(point.bytes)));
    at += static_cast<std::size_t>(point.bytes);
  }
  return result;
}

}  // namespace headscope
