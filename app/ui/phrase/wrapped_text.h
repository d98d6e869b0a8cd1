// Where the lines of the phrase begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

// Of all text in a phrase box.
constexpr Type kPhraseType = Type::words16;

// No line holds more bytes, however narrow its letters are: a drawn line is shaped whole.
constexpr std::size_t kMostLineBytes = 1024;

// From here on a text is measured by the advances of its letters, without shaping, and at most so many bytes a frame.
constexpr std::size_t kLongText = std::size_t{1} << 16;
constexpr std::size_t kBytesPerFrame = std::size_t{1} << 19;

// The lines of a wrapped text, kept until text, width or scale change.
struct WrappedText {
  std::string text;
  float width = -1, scale = 0;
  std::vector<std::size_t> begins;  // of each line, in bytes
  std::size_t done = 0;             // bytes whose lines are known; the rest counts to the last line until it is
  std::size_t measured = 0;         // bytes that were measured since the text came: the work that changes cost
  std::unordered_map<std::uint32_t, float> advances;  // of letters in a long text, at this scale
};
struct WrappedTexts {
  std::map<std::string, WrappedText> by_name;
};

// The first byte of each line of the text, wrapped at blanks to `width` pixels (a longer word is cut between
// graphemes). Kept in the state. After a change only the lines around it are measured. A long text is measured a part a
// frame: more frames are asked for until `done` is its size.
const WrappedText& wrapped_lines(Ui& ui, const std::string& name, const std::string& text, float width);

// The first byte in which the two differ; the size of the shorter one where it begins the longer. Fast.
std::size_t first_difference(std::string_view a, std::string_view b);

}  // namespace headscope::ui
