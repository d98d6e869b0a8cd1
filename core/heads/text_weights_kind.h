// How attention is shown on the words of a text: which weights shade them, and how several heads become one number.
#pragma once

namespace headscope {

enum class TextAlong { row, column };    // the keys that one query looks at; the queries that look at one key
enum class HeadsCombined { sum, mean };  // of the weights of the chosen heads

}  // namespace headscope
