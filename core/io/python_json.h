// JSON as Python's json module writes it.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// Python writes numbers that are not finite as Infinity, -Infinity and NaN, which is no JSON. Outside of strings they
// become strings of the same length, with blanks behind, that no file has as its own: whoever needs a number there
// refuses them, and everybody else passes over them.
std::string without_python_numbers(std::string_view json);

// "Infinity", "-Infinity" or "NaN" of the string that stands in its place; "" of every other.
std::string_view python_number(std::string_view string);

}  // namespace headscope
