// The text of tokens that come one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/text/tokenizer.h"

namespace headscope {

// A character may be spelled by several tokens, so what is known of the text ends with the last whole one.
class GrowingText {
 public:
  // Null: a model without a tokenizer, whose ids are written as words.
  explicit GrowingText(std::shared_ptr<const Tokenizer> tokenizer);

  // Appends a token. Returns what is settled of the text and was not returned before: valid UTF-8, without the
  // beginning of a character that the next token may end.
  std::string add(std::int64_t id);

  // What add() has held back: with it the returned parts are text(). Should a decoder change what it gave before, it is
  // what follows the part that both have.
  std::string rest();

  // Tokenizer::decode of all tokens together; ids that the tokenizer does not know as piece_of() shows them.
  const std::string& text() const { return text_; }

 private:
  std::string decoded_text() const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::int64_t> ids_;
  std::vector<bool> known_;  // by the tokenizer
  std::string text_;         // of all ids
  std::string returned_;     // by add() and rest()
};

}  // namespace headscope
