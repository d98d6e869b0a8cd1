#include "core/picture/paper_spec.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace headscope {

namespace {

struct UnitWord {
  LengthUnit unit;
  const char* text;
  double an_inch;
};
constexpr std::array<UnitWord, 4> kUnits = {{{LengthUnit::mm, "mm", 25.4},
                                             {LengthUnit::cm, "cm", 2.54},
                                             {LengthUnit::in, "in", 1},
                                             {LengthUnit::pt, "pt", 72}}};

const UnitWord& word_of(LengthUnit unit) {
  return kUnits.at(static_cast<std::size_t>(unit));
}

}  // namespace

std::string length_text(PaperLength length) {
  return fmt::format("{}{}", length.amount, word_of(length.unit).text);
}

std::optional<PaperLength> length_of(std::string_view text) {
  for (const UnitWord& word : kUnits) {
    if (!text.ends_with(word.text)) continue;
    std::string_view number = text.substr(0, text.size() - 2);
    while (number.ends_with(' ')) number.remove_suffix(1);
    PaperLength length{0, word.unit};
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), length.amount);
    const bool whole = error == std::errc() && end == number.data() + number.size() && !number.empty();
    if (!whole || !std::isfinite(length.amount) || length.amount <= 0) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

double inches_of(PaperLength length) {
  return length.amount / word_of(length.unit).an_inch;
}

}  // namespace headscope
