// How the means of heads are called in words, in the window and in pictures.
#pragma once

#include <string>

namespace headscope {

// Of a mean's key (HeadTable::keys): "max weight"; and its unit, "bits", "tokens", "nats" or "".
std::string mean_words(const std::string& key);
const char* mean_unit(const std::string& key);

// "mean entropy, bits".
std::string mean_title(const std::string& key);

}  // namespace headscope
