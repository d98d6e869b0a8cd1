// With which of its maps a head reads what an earlier head wrote: a word that options share with the computation.
#pragma once

namespace headscope {

enum class CompositionKind { query, key, value };
inline constexpr const char* kCompositionNames[] = {"query", "key", "value"};  // in the order of the enumerators

}  // namespace headscope
