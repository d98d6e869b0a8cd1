// What Headscope uses of C++20 and the standard library of emscripten lacks: 3.1.6 (Debian 12) all of this, 3.1.69
// (Debian 13) from_chars alone. Included before everything (CMakeLists.txt); libcxx.cpp holds the rest.
#pragma once

#include <bit>
#include <charconv>
#include <compare>
#include <memory>
#include <type_traits>

namespace std {

#if _LIBCPP_VERSION < 14000
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// The shortest decimals that read back to the same number, as libstdc++ writes them.
to_chars_result to_chars(char* first, char* last, double value);
to_chars_result to_chars(char* first, char* last, float value);
#endif

#if _LIBCPP_VERSION < 16000
template <class T, enable_if_t<is_unbounded_array_v<T>, int> = 0>
unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}
template <class T, enable_if_t<!is_array_v<T>, int> = 0>
unique_ptr<T> make_unique_for_overwrite() {
  return unique_ptr<T>(new T);
}
#endif

#if _LIBCPP_VERSION < 200000
from_chars_result from_chars(const char* first, const char* last, double& value);
from_chars_result from_chars(const char* first, const char* last, float& value);
#endif

}  // namespace std
