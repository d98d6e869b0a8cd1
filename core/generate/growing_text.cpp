#include "core/generate/growing_text.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/text/byte_alphabet.h"

namespace headscope {
namespace {

// What decoders give for bytes that are no UTF-8, also those of a character that is not whole yet.
constexpr std::string_view kReplaced = "\xEF\xBF\xBD";

// Models have more ids than their tokenizers where their tables are padded to a round number.
bool decodes(const Tokenizer& tokenizer, std::int64_t id) {
  try {
    tokenizer.decode({&id, 1});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The length of what both begin with, in whole characters.
std::size_t common_length(std::string_view a, std::string_view b) {
  auto length = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  while (length > 0 && length < b.size() && (static_cast<unsigned char>(b[length]) & 0xC0) == 0x80) --length;
  return length;
}

}  // namespace

GrowingText::GrowingText(std::shared_ptr<const Tokenizer> tokenizer) : tokenizer_(std::move(tokenizer)) {}

std::string GrowingText::decoded_text() const {
  std::string text;
  for (std::size_t begin = 0; begin < ids_.size();) {
    std::size_t end = begin;
    while (end < ids_.size() && known_[end]) ++end;
    if (end > begin) text += tokenizer_->decode(std::span(ids_).subspan(begin, end - begin));
    for (; end < ids_.size() && !known_[end]; ++end) text += tokenizer_->piece_of(ids_[end]);
    begin = end;
  }
  return text;
}

std::string GrowingText::add(std::int64_t id) {
  ids_.push_back(id);
  if (tokenizer_ == nullptr) {
    if (ids_.size() > 1) text_ += ' ';
    text_ += std::to_string(id);
  } else {
    known_.push_back(decodes(*tokenizer_, id));
    text_ = decoded_text();
  }
  // Bytes that have pieces of their own (SentencePiece's) are text only together, when the last of them is there.
  if (tokenizer_ != nullptr && byte_piece(tokenizer_->piece_of(id))) return "";
  std::string_view settled = text_;
  while (settled.ends_with(kReplaced)) settled.remove_suffix(kReplaced.size());
  if (settled.size() <= returned_.size() || !settled.starts_with(returned_)) return "";
  std::string more(settled.substr(returned_.size()));
  returned_ += more;
  return more;
}

std::string GrowingText::rest() {
  std::string more = text_.substr(common_length(returned_, text_));
  returned_ = text_;
  return more;
}

}  // namespace headscope
