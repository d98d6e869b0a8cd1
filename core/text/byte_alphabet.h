// GPT-2's alphabet: a printable character for each of the 256 bytes, so that any text can be spelled by a vocabulary.
// Source: Radford et al. 2019, the released encoder's bytes_to_unicode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

std::uint32_t letter_of_byte(unsigned char byte);
// nullopt for a character that is no letter of the alphabet.
std::optional<unsigned char> byte_of_letter(std::uint32_t code_point);

// Every byte of `text` replaced by its letter.
std::string spelled_in_bytes(std::string_view text);

// The bytes behind a spelling; the spelling itself when it has a character that is no letter of the alphabet.
std::string bytes_of_spelling(std::string_view spelling);

// Bytes as text that can be shown: bytes that are no UTF-8 become <0xE2>.
std::string readable_bytes(std::string_view bytes);

// Bytes as UTF-8: every maximal invalid part becomes one U+FFFD (Unicode 15, section 3.9, as browsers do).
std::string replaced_invalid(std::string_view bytes);

// "<0xE2>", the pieces that SentencePiece falls back to, and the reverse; nullopt for other pieces.
std::string name_of_byte(unsigned char byte);
std::optional<unsigned char> byte_piece(std::string_view piece);

// "byte 2 of 3 of 注" for the token `at` of a text whose characters are spelled by such pieces; "" for another token,
// and for bytes that make no character.
std::string byte_words(std::span<const std::string> tokens, std::size_t at);

}  // namespace headscope
