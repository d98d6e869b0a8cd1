// JSON as Python's json module writes it.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// Python writes numbers that are not finite as Infinity, -Infinity and NaN, which is no JSON. Outside of strings they
// become the strings "+inf", "-inf" and "N" of the same length, with blanks behind: whoever needs a number there
// refuses them, and everybody else passes over them.
std::string without_python_numbers(std::string_view json);

}  // namespace headscope
