// A figure for a paper: its width in millimetres, its letters in points. What ViewSpec holds of it, and what it means
// in pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

enum class LengthUnit : std::uint8_t { mm, cm, in, pt };
// A length on paper, in the unit in which it was given.
struct PaperLength {
  double amount = 0;
  LengthUnit unit = LengthUnit::mm;
  friend bool operator==(const PaperLength&, const PaperLength&) = default;
};

// "85mm"; "3.5in".
std::string length_text(PaperLength length);
// "85mm", "8.5 cm"; nullopt when the text is no number with a unit.
std::optional<PaperLength> length_of(std::string_view text);
double inches_of(PaperLength length);

// theme: the ground of the theme; white: white, in the colours of the light theme; transparent: none.
enum class Ground : std::uint8_t { theme, white, transparent };
// Which maps have their keys named: all of them, or those with no other map below.
enum class KeyLabels : std::uint8_t { all, outer };

struct PaperSpec {
  std::optional<PaperLength> width;  // instead of ViewSpec::width
  std::optional<int> dpi;            // pixels an inch; nullopt: 300 on paper, not said elsewhere
  std::optional<double> font_size;   // points; nullopt: 8 on paper
  Ground ground = Ground::theme;
  bool caption = true;      // what the picture shows, in words
  bool recipe_line = true;  // the request in one line
  std::optional<KeyLabels> key_labels;
  friend bool operator==(const PaperSpec&, const PaperSpec&) = default;
};

inline constexpr int kPaperDpi = 300;
inline constexpr double kPaperFont = 8;    // points
inline constexpr double kPageColumn = 85;  // millimetres: one column of a page of two
inline constexpr double kPageWidth = 178;  // both columns
inline constexpr double kLeastFont = 3, kLargestFont = 72;
inline constexpr int kLeastDpi = 30, kLargestDpi = 2400;

}  // namespace headscope
