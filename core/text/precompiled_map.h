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
  // The same from the bytes themselves.
  static PrecompiledMap of_bytes(std::string_view bytes, const std::string& what);

  // Hugging Face's way: grapheme clusters below 6 bytes are looked up whole, others character by character, and the
  // shortest spelling at the beginning of either counts.
  AlignedText applied(const AlignedText& text) const;

  // A spelling that a text begins with: its bytes, and what replaces it.
  struct Found {
    std::size_t bytes;
    std::string_view replacement;
  };
  // SentencePiece's own way: the longest spelling that the text begins with.
  std::optional<Found> longest(std::string_view text) const { return found(text, true); }

 private:
  PrecompiledMap() = default;
  void unpack(std::string_view bytes, const std::string& what);
  std::optional<Found> found(std::string_view text, bool longest) const;
  std::vector<Change> changes_by_clusters(std::string_view bytes) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace headscope
