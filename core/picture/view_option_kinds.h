// Kinds of rows in the table of VIEW: one of a few words, a whole number. Internal to core/picture.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/picture/view_option.h"
#include "core/picture/view_reach.h"
#include "core/request/option_text.h"
#include "core/request/option_words.h"

namespace headscope {

inline constexpr std::int64_t kMostPixels = 16384;  // of a picture's side
inline constexpr Word<bool> kSwitch[] = {{true, "on"}, {false, "off"}};

// A field of the view, of its part for papers, or of what it asks of a model.
template <typename View, typename T>
auto& field_of(View& view, T ViewSpec::*field) {
  return view.*field;
}
template <typename View, typename T>
auto& field_of(View& view, T PaperSpec::*field) {
  return view.paper.*field;
}
template <typename View, typename T>
auto& field_of(View& view, T ModelQuestion::*field) {
  return view.question.*field;
}

// "dark|light".
template <typename Words>
std::string placeholder_of(const Words& words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += '|';
    text += word.text;
  }
  return text;
}

// The row of an option that acts there.
inline ViewOption on(ViewReach reach, ViewOption option) {
  option.reach = reach;
  return option;
}

// One of a few words; `kind` as in refuse_value.
template <OptionName name, auto field, const auto& words, OptionName kind = "a known value">
ViewOption word_option(const char* help) {
  return {name.text, placeholder_of(words), help,
          [](const ViewSpec& view) -> std::string {
            for (const auto& word : words) {
              if (field_of(view, field) == word.value) return word.text;
            }
            return "";
          },
          [](ViewSpec& view, const std::string& text) {
            for (const auto& word : words) {
              if (text == word.text) {
                field_of(view, field) = word.value;
                return;
              }
            }
            refuse_value(name.text, text, kind.text, expected_words(words));
          }};
}

template <typename T>
std::string whole_text(const T& number) {
  return std::to_string(number);
}

template <typename T>
std::string whole_text(const std::optional<T>& number) {
  return number ? std::to_string(*number) : "";
}

// A whole number, one that may be left open too.
template <OptionName name, auto field, std::int64_t low, std::int64_t high>
ViewOption whole_option(const char* placeholder, const char* help, bool on_command_line = true) {
  return {name.text,
          placeholder,
          help,
          [](const ViewSpec& view) { return whole_text(field_of(view, field)); },
          [](ViewSpec& view, const std::string& text) {
            const std::int64_t number = parse_whole(name.text, text, low, high);
            if constexpr (high <= std::numeric_limits<int>::max()) {
              field_of(view, field) = static_cast<int>(number);
            } else {
              field_of(view, field) = number;
            }
          },
          ViewOption::Json::whole,
          on_command_line};
}

// The width in pixels or on paper, and the other options of figures for papers; the rows go behind those given.
std::string width_text(const ViewSpec& view);
void set_width(ViewSpec& view, const std::string& text);
std::vector<ViewOption> with_paper_options(std::vector<ViewOption> options);

// The rows of heads, tokens and cells go behind those given.
std::vector<ViewOption> with_part_options(std::vector<ViewOption> options);

// Two rows that mean one thing in one view and another in an attribution; the rows of attributions and sweeps go behind
// those given.
ViewOption token_option();
ViewOption by_option();
std::vector<ViewOption> with_model_options(std::vector<ViewOption> options);

}  // namespace headscope
