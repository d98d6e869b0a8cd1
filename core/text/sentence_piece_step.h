// SentencePiece's own normalization (Kudo and Richardson 2018): what becomes of a text before its pieces are found.
#pragma once

#include <optional>
#include <string_view>

#include "core/text/aligned_text.h"
#include "core/text/byte_trie.h"
#include "core/text/precompiled_map.h"

namespace headscope {

struct SentencePieceStep {
  std::optional<PrecompiledMap> map;  // replaces the longest spelling at each place
  ByteTrie kept;                      // pieces that a user defined, which the map leaves alone
  bool add_dummy_prefix = true;       // a blank in front
  bool remove_extra_blanks = true;    // no blanks at the ends, one in place of several
  bool escape_blanks = true;          // a blank is U+2581

  AlignedText applied(const AlignedText& text) const;

 private:
  // What the text at a place becomes, and how many of its bytes that stands for.
  struct Part {
    std::string_view text;
    std::size_t bytes = 0;
  };
  Part part_at(std::string_view bytes, std::size_t at) const;
};

}  // namespace headscope
