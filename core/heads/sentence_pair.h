// In a text of two parts: the part of the query, then the part of the key, whose arcs are shown.
#pragma once

#include <optional>
#include <string_view>

namespace headscope {

enum class SentencePair { all, a_to_a, a_to_b, b_to_a, b_to_b };

// "all", "a-a", "a-b", "b-a", "b-b".
std::string_view sentence_pair_name(SentencePair pair);
// nullopt for another name.
std::optional<SentencePair> sentence_pair_named(std::string_view name);

}  // namespace headscope
