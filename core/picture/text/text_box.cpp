#include "core/picture/text/text_box.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {

namespace {

// Hexadecimal digits, 3 x 5, a row in three bits from the left: a box needs no font.
constexpr std::array<std::array<std::uint8_t, 5>, 16> kDigits = {{{7, 5, 5, 5, 7},
                                                                  {2, 6, 2, 2, 7},
                                                                  {7, 1, 7, 4, 7},
                                                                  {7, 1, 3, 1, 7},
                                                                  {5, 5, 7, 1, 1},
                                                                  {7, 4, 7, 1, 7},
                                                                  {7, 4, 7, 5, 7},
                                                                  {7, 1, 2, 2, 2},
                                                                  {7, 5, 7, 5, 7},
                                                                  {7, 5, 7, 1, 7},
                                                                  {2, 5, 7, 5, 5},
                                                                  {6, 5, 6, 5, 6},
                                                                  {3, 4, 4, 4, 3},
                                                                  {6, 5, 5, 5, 6},
                                                                  {7, 4, 6, 4, 7},
                                                                  {7, 4, 6, 4, 4}}};

// A box is two rows of digits in a frame with one dot of air; a dot is 1 px at the sizes of the screen.
struct BoxLayout {
  int dot, columns, digits;
  int width() const { return dot * (4 * columns + 3); }
  int height() const { return dot * 15; }
};

BoxLayout box_layout(std::uint32_t code_point, double pixel_size) {
  const int digits = code_point > 0xFFFF ? 6 : code_point > 0xFF ? 4 : 2;
  return {std::max(1, static_cast<int>(std::floor(pixel_size / 14 + 0.5))), digits == 2 ? 1 : digits / 2, digits};
}

}  // namespace

double box_advance(std::uint32_t code_point, double pixel_size) {
  const BoxLayout box = box_layout(code_point, pixel_size);
  return box.width() + 2 * box.dot;
}

GlyphBitmap box_bitmap(std::uint32_t code_point, double pixel_size) {
  const BoxLayout box = box_layout(code_point, pixel_size);
  GlyphBitmap bitmap{box.dot, -12 * box.dot, box.width(), box.height(), {}};
  bitmap.coverage.assign(static_cast<std::size_t>(bitmap.width) * static_cast<std::size_t>(bitmap.height), 0);
  const int dots_wide = box.width() / box.dot, dots_high = box.height() / box.dot;
  const auto set_dot = [&](int dot_x, int dot_y) {
    for (int y = dot_y * box.dot; y < (dot_y + 1) * box.dot; ++y) {
      for (int x = dot_x * box.dot; x < (dot_x + 1) * box.dot; ++x) {
        bitmap.coverage[static_cast<std::size_t>(y) * static_cast<std::size_t>(bitmap.width) +
                        static_cast<std::size_t>(x)] = 255;
      }
    }
  };
  for (int x = 0; x < dots_wide; ++x) {
    set_dot(x, 0);
    set_dot(x, dots_high - 1);
  }
  for (int y = 0; y < dots_high; ++y) {
    set_dot(0, y);
    set_dot(dots_wide - 1, y);
  }
  for (int k = 0; k < box.digits; ++k) {
    const std::uint32_t digit = (code_point >> (4 * (box.digits - 1 - k))) & 15U;
    const int left = 2 + 4 * (k % box.columns), top = 2 + 6 * (k / box.columns);
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 3; ++x) {
        if ((kDigits.at(digit).at(static_cast<std::size_t>(y)) >> (2 - x)) & 1) set_dot(left + x, top + y);
      }
    }
  }
  return bitmap;
}

}  // namespace headscope
