// Texts as a search compares them: without case and accents.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// The text by Unicode's case folding, decomposed, without the accents U+0300 to U+036F: "ÉCOLE", "école" and "ecole"
// are one, as are "Straße" and "STRASSE". Of a text that is no valid UTF-8 only A to Z are folded.
std::string case_folded(std::string_view text);

}  // namespace headscope
