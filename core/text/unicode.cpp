#include "core/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "core/base/utf8.h"

namespace headscope {

namespace {

utf8proc_category_t category(std::uint32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

const utf8proc_property_t& property(std::uint32_t code_point) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
}

bool within(std::uint32_t code_point, std::uint32_t first, std::uint32_t last) {
  return code_point >= first && code_point <= last;
}

// The character that the two compose to, or 0.
std::uint32_t composed(std::uint32_t left, std::uint32_t right) {
  constexpr std::uint16_t none = 0xFFFF;
  const bool hangul = within(left, 0x1100, 0x1112) || within(left, 0xAC00, 0xD7A3);
  if (!hangul && (property(left).comb_index == none || property(right).comb_index == none)) return 0;
  std::array<utf8proc_int32_t, 3> pair = {static_cast<utf8proc_int32_t>(left), static_cast<utf8proc_int32_t>(right), 0};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair.data(), 2, options) == 1 ? static_cast<std::uint32_t>(pair[0]) : 0;
}

// Full decomposition, in canonical order.
std::vector<Change> decomposed(const AlignedText& text, bool compatibility) {
  std::vector<Change> changes;
  changes.reserve(text.size());
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | (compatibility ? UTF8PROC_COMPAT : 0));
  for_each_code_point(text.bytes, [&](std::uint32_t code_point, std::size_t, std::size_t) {
    if (code_point < 0x80) {
      changes.push_back({code_point, 0});
      return;
    }
    std::array<utf8proc_int32_t, 32> parts;  // the longest decomposition of Unicode has 18
    int boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                                static_cast<utf8proc_ssize_t>(parts.size()), options, &boundary);
    if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
      changes.push_back({code_point, 0});
      return;
    }
    for (utf8proc_ssize_t k = 0; k < count; ++k) {
      changes.push_back({static_cast<std::uint32_t>(parts[static_cast<std::size_t>(k)]), k == 0 ? 0 : 1});
    }
  });
  const auto mark_class = [](const Change& one) { return property(one.code_point).combining_class; };
  for (auto begin = changes.begin(); begin != changes.end();) {
    if (mark_class(*begin) == 0) {
      ++begin;
      continue;
    }
    auto end = begin;
    while (end != changes.end() && mark_class(*end) != 0) ++end;
    std::stable_sort(begin, end, [&](const Change& a, const Change& b) { return mark_class(a) < mark_class(b); });
    begin = end;
  }
  return changes;
}

// Canonical composition (Unicode 15, section 3.11, D117) of what decomposed() gives.
std::vector<Change> recomposed(const std::vector<Change>& changes) {
  std::vector<Change> result;
  result.reserve(changes.size());
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t starter = none;
  int last_class = 0;  // of what stands between the starter and the next one; 0 when nothing does
  for (const Change& one : changes) {
    const int mark_class = property(one.code_point).combining_class;
    const bool adjacent = starter != none && starter + 1 == result.size();
    if (starter != none && (adjacent || last_class < mark_class)) {
      const std::uint32_t whole = composed(result[starter].code_point, one.code_point);
      if (whole != 0) {
        result[starter].code_point = whole;
        result[starter].change += one.change - 1;
        continue;
      }
    }
    if (mark_class == 0) starter = result.size();
    last_class = mark_class;
    result.push_back(one);
  }
  return result;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

bool is_letter(std::uint32_t code_point) {
  const utf8proc_category_t found = category(code_point);
  return found >= UTF8PROC_CATEGORY_LU && found <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(std::uint32_t code_point) {
  const utf8proc_category_t found = category(code_point);
  return found >= UTF8PROC_CATEGORY_MN && found <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(std::uint32_t code_point) {
  return category(code_point) == UTF8PROC_CATEGORY_MN;
}

bool is_numeric(std::uint32_t code_point) {
  const utf8proc_category_t found = category(code_point);
  return found >= UTF8PROC_CATEGORY_ND && found <= UTF8PROC_CATEGORY_NO;
}

bool is_punctuation(std::uint32_t code_point) {
  if (code_point < 0x80) {
    return within(code_point, 33, 47) || within(code_point, 58, 64) || within(code_point, 91, 96) ||
           within(code_point, 123, 126);
  }
  const utf8proc_category_t found = category(code_point);
  return found >= UTF8PROC_CATEGORY_PC && found <= UTF8PROC_CATEGORY_PO;
}

bool is_control_or_private(std::uint32_t code_point) {
  const utf8proc_category_t found = category(code_point);
  return found == UTF8PROC_CATEGORY_CC || found == UTF8PROC_CATEGORY_CF || found == UTF8PROC_CATEGORY_CO;
}

bool is_word_character(std::uint32_t code_point) {
  const utf8proc_category_t found = category(code_point);
  if (is_letter(code_point) || is_mark(code_point)) return true;
  if (found == UTF8PROC_CATEGORY_ND || found == UTF8PROC_CATEGORY_NL || found == UTF8PROC_CATEGORY_PC) return true;
  // Circled letters are alphabetic without being letters; the two joiners belong to words.
  return within(code_point, 0x24B6, 0x24E9) || within(code_point, 0x1F130, 0x1F149) ||
         within(code_point, 0x1F150, 0x1F169) || within(code_point, 0x1F170, 0x1F189) || code_point == 0x200C ||
         code_point == 0x200D;
}

bool is_chinese(std::uint32_t code_point) {
  return within(code_point, 0x4E00, 0x9FFF) || within(code_point, 0x3400, 0x4DBF) ||
         within(code_point, 0x20000, 0x2A6DF) || within(code_point, 0x2A700, 0x2B73F) ||
         within(code_point, 0x2B740, 0x2B81F) || within(code_point, 0x2B920, 0x2CEAF) ||
         within(code_point, 0xF900, 0xFAFF) || within(code_point, 0x2F800, 0x2FA1F);
}

void append_lower_case(AlignedText& text, std::uint32_t code_point, SourceRange from) {
  if (code_point == 0x130) {
    text.append("i\xCC\x87", from);
  } else {
    text.append(static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))), from);
  }
}

AlignedText normal_form(const AlignedText& text, NormalForm form) {
  if (is_ascii(text.bytes)) return text;
  const std::vector<Change> parts = decomposed(text, form == NormalForm::nfkc || form == NormalForm::nfkd);
  const bool compose = form == NormalForm::nfc || form == NormalForm::nfkc;
  return rewritten(text, compose ? recomposed(parts) : parts);
}

}  // namespace headscope
