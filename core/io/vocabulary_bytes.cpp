#include "core/io/vocabulary_bytes.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

// Whether `line` is a piece and the rank `rank`.
bool is_ranked(std::string_view line, std::size_t rank) {
  const std::size_t blank = line.find(' ');
  if (blank == line.npos || blank == 0 || blank % 4 != 0) return false;
  return line.substr(0, blank).find_first_not_of(kBase64) == line.npos &&
         line.substr(blank + 1) == std::to_string(rank);
}

}  // namespace

bool begins_like_tiktoken(std::string_view bytes) {
  constexpr std::size_t kLongest = 200, kLines = 2;
  for (std::size_t rank = 0; rank < kLines; ++rank) {
    const std::string_view line = bytes.substr(0, kLongest + 1);  // the file may have no other line in gigabytes
    const std::size_t end = std::min(line.find('\n'), line.size());
    if (end > kLongest || !is_ranked(bytes.substr(0, end), rank)) return false;
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (bytes.empty()) return true;
  }
  return true;
}

// A ModelProto's field 1, a piece, is of field 1, its text, and others.
bool begins_like_sentence_piece(std::string_view bytes) {
  if (bytes.size() < 7 || bytes[0] != '\x0a' || bytes[2] != '\x0a') return false;
  const auto piece = static_cast<std::size_t>(static_cast<unsigned char>(bytes[1]));
  const auto text = static_cast<std::size_t>(static_cast<unsigned char>(bytes[3]));
  if (text < 3 || text + 2 > piece || piece >= 0x80 || 4 + text > bytes.size()) return false;
  return bytes[4] == '<' && bytes[3 + text] == '>';
}

std::string describe_vocabulary(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (begins_like_tiktoken(text)) return "a list of tiktoken (a vocabulary alone)";
  return begins_like_sentence_piece(text) ? "a SentencePiece model (a vocabulary alone)" : "";
}

}  // namespace headscope
