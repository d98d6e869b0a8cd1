// Files of vocabularies alone, told by their first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

// A list as tiktoken reads it, "IQ== 0": a piece in base64 and its rank, a line each, from rank 0 on. How texts are
// split before is not in it.
bool begins_like_tiktoken(std::string_view bytes);

// A model of SentencePiece: its pieces first, of which the first is a special one, such as <unk> or <pad>.
bool begins_like_sentence_piece(std::string_view bytes);

// Which of the two a file is that was expected to be something else: "a list of tiktoken (a vocabulary alone)"; "" for
// neither.
std::string describe_vocabulary(std::span<const std::byte> bytes);

}  // namespace headscope
