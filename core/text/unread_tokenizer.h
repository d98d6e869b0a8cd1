// Vocabularies that lie in a folder and are not read.
#pragma once

#include <string>

namespace headscope {

// Which vocabulary lies in a folder from which load_tokenizer() makes nothing, and why it is not read (SentencePiece's
// of an unknown family, tiktoken's): a sentence that begins with the folder; "" where there is none.
std::string unread_tokenizer(const std::string& folder);

}  // namespace headscope
