// The names of a capture's tokens as they are typed or pasted: what the phrase of its request says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/capture.h"
#include "core/request/request.h"

namespace headscope {

// The names in a text: a JSON list of strings; one a line, where there is more than one line; else words. Lines whose
// number is not `wanted` are read as words when there are so many words. Throws Error for a JSON list that is broken.
std::vector<std::string> token_names_in(std::string_view text, std::int64_t wanted);

// The shortest text that token_names_in() reads as these names: words, or a JSON list where a name holds a blank or
// nothing.
std::string token_names_text(const std::vector<std::string>& names);

struct TokenNames {
  std::vector<std::string> queries, keys;
};

// The names of the positions of a layer of `capture`: the request's phrase and key phrase, or those of the file where
// they are empty.
// The phrase names the keys too where they are as many and the file does not name them. Throws ProblemError of `phrase`
// or `key-phrase` ("16 names wanted, 9 given").
TokenNames token_names_of(const Capture& capture, const CapturedLayer& layer, const Request& request);

}  // namespace headscope
