// These functions read and write parts of the text of interventions that several kinds share. Internal to core/request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/request/option_text.h"
#include "core/request/stage.h"
#include "core/request/stage_axes.h"

namespace headscope {

inline constexpr std::int64_t kLargestTermPlace = std::int64_t{1} << 40;
inline constexpr const char* kOff = "off:";

// Takes "off:" away from the front of a term; returns whether it was there.
inline bool taken_off(std::string_view& term) {
  if (!term.starts_with(kOff)) return false;
  term.remove_prefix(std::string_view(kOff).size());
  return true;
}

// Returns the text of a term, behind "off:" where it is off.
inline std::string marked(bool on, std::string text) {
  return on ? std::move(text) : kOff + text;
}

// Says whether the text is one decimal number or more of digits alone.
inline bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Takes the layer of "1/name" away from the front; nullopt where there is none. UsageError for a layer out of range.
inline std::optional<std::int64_t> taken_layer(const char* option, std::string_view& name) {
  const std::size_t slash = name.find('/');
  if (slash == name.npos || !is_digits(name.substr(0, slash))) return {};
  const std::int64_t layer = parse_whole(option, name.substr(0, slash), 0, kLargestTermPlace);
  name.remove_prefix(slash + 1);
  return layer;
}

// Says whether a place in what is named begins with a head.
inline bool has_heads(std::string_view name) {
  const std::optional<StageId> stage = stage_named(name);
  return stage && stage_has_heads(*stage);
}

}  // namespace headscope
