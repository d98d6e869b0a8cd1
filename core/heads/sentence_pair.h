// Which part of a text of two parts looks at which: the query's part, then the key's.
#pragma once

#include <optional>
#include <string_view>

namespace headscope {

enum class SentencePair { all, a_to_a, a_to_b, b_to_a, b_to_b };

// "all", "a-a", "a-b", "b-a", "b-b".
std::string_view sentence_pair_name(SentencePair pair);
std::optional<SentencePair> sentence_pair_named(std::string_view name);

}  // namespace headscope
