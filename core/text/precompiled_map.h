// SentencePiece's precompiled normalization: a double array of the spellings that are replaced, and what replaces them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/aligned_text.h"

namespace headscope {

class PrecompiledMap {
 public:
  // `base64`: 4 bytes with the array's size, the array (Darts-clone units of 4 bytes, little-endian), then the
  // replacements, each ended by a zero byte. Error that begins with `what` when the data has another form.
  PrecompiledMap(std::string_view base64, const std::string& what);

  // Grapheme clusters below 6 bytes are looked up whole, others character by character, as Hugging Face does.
  AlignedText applied(const AlignedText& text) const;

 private:
  // The replacement of the shortest spelling that `text` begins with; nullopt when there is none.
  std::optional<std::string_view> replacement(std::string_view text) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headscope
