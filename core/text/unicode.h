// Properties of characters, and Unicode's normal forms of a text that remembers where each character came from. Tables:
// utf8proc.
#pragma once

#include <cstdint>

#include "core/text/aligned_text.h"

namespace headscope {

bool is_letter(std::uint32_t code_point);           // L*
bool is_mark(std::uint32_t code_point);             // M*
bool is_nonspacing_mark(std::uint32_t code_point);  // Mn
bool is_numeric(std::uint32_t code_point);          // N*: digits, and 1/2 or a roman numeral
bool is_punctuation(std::uint32_t code_point);      // P*, and every ASCII character that is no letter, digit or blank
bool is_control_or_private(std::uint32_t code_point);  // Cc, Cf, Co
bool is_word_character(std::uint32_t code_point);      // \w of Unicode's technical standard 18
bool is_chinese(std::uint32_t code_point);             // the blocks that BERT's reference code sets blanks around

// Appends the lower case of one code point: two code points for U+0130, else one. Rules that depend on neighbours
// (final sigma) are not applied.
void append_lower_case(AlignedText& text, std::uint32_t code_point, SourceRange from);

enum class NormalForm { nfc, nfd, nfkc, nfkd };
AlignedText normal_form(const AlignedText& text, NormalForm form);

}  // namespace headscope
