// Every enumerator of MainView as the compiler knows it, so that a table that lacks one fails a test.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/main_view.h"

namespace headscope {

// GCC and Clang write a value that no enumerator has as "(headscope::MainView)9".
template <MainView view>
constexpr bool is_main_view() {
  return std::string_view(__PRETTY_FUNCTION__).find("view = (") == std::string_view::npos;
}

template <std::size_t... values>
std::vector<MainView> main_views_among(std::index_sequence<values...>) {
  std::vector<MainView> found;
  const auto add = [&](bool is_one, std::size_t value) {
    if (is_one) found.push_back(static_cast<MainView>(value));
  };
  (add(is_main_view<static_cast<MainView>(values)>(), values), ...);
  return found;
}

inline std::vector<MainView> every_main_view() {
  return main_views_among(std::make_index_sequence<64>());
}

}  // namespace headscope
