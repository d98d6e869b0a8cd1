// Tokens added to a vocabulary, which are found in a text by their exact spelling: [MASK], <|endoftext|>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/aligned_text.h"
#include "core/text/byte_trie.h"
#include "core/text/normalizer.h"

namespace headscope {

struct AddedToken {
  std::int64_t id = 0;
  std::string content;
  bool special = false;
  bool single_word = false;  // matches only where no word character is next to it
  bool lstrip = false;       // includes the white space before it
  bool rstrip = false;       // includes the white space after it
  bool normalized = false;   // searched in the normalized text, in its own normalized form
};

class AddedTokens {
 public:
  static constexpr std::size_t kLongest = 1000;  // bytes of a token

  AddedTokens() = default;
  AddedTokens(std::vector<AddedToken> tokens, const Normalizer& normalizer);

  // The text, normalized between the added tokens, and the places of these tokens. At each place the longest one wins.
  PieceList split(const AlignedText& text, const Normalizer& normalizer) const;

  const std::vector<AddedToken>& tokens() const { return tokens_; }  // ascending ids
  // Null when there is none.
  const AddedToken* find(std::int64_t id) const;
  const AddedToken* find(std::string_view content) const;

 private:
  struct Finder {
    std::vector<std::string> spellings;  // the views in `trie` point into these
    ByteTrie trie;                       // values are indices of tokens_
  };
  Finder finder(bool normalized, const Normalizer& normalizer) const;
  void find_all(const Finder& finder, std::string_view text, std::vector<TextPiece>& pieces) const;

  std::vector<AddedToken> tokens_;
  Finder as_typed_, as_normalized_;
};

}  // namespace headscope
