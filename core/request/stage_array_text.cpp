// The text of --set, --add and --project-out: "1/stream:5..7=mine.npy*2".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>

#include "core/base/assert.h"
#include "core/request/intervention_text.h"
#include "core/request/term_parts.h"

namespace headscope {
namespace {

constexpr const char* kContextAlias = "z";

// What an option allows behind its '='.
struct ArrayOption {
  const char* name;
  ArrayUse use;
  bool takes_number, takes_factor;
};
constexpr ArrayOption kArrayOptions[] = {{"set", ArrayUse::set, true, false},
                                         {"add", ArrayUse::add, false, true},
                                         {"project-out", ArrayUse::project_out, false, false}};

const ArrayOption& array_option(std::string_view name) {
  const auto* found = std::find_if(std::begin(kArrayOptions), std::end(kArrayOptions),
                                   [&](const ArrayOption& each) { return each.name == name; });
  HEADSCOPE_ASSERT(found != std::end(kArrayOptions), std::string(name));
  return *found;
}

// The whole text as a number that float32 holds; nullopt: it is no number.
std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || next != end || std::isnan(value)) return {};
  if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) return {};
  return value;
}

std::string span_text(const PlaceSpan& span) {
  return span.first == span.last ? std::to_string(span.first) : fmt::format("{}..{}", span.first, span.last);
}

// One term while it is read; each function takes a part of it.
struct Reader {
  const InterventionOption& option;
  std::string_view whole;

  [[noreturn]] void refuse() const { refuse_value(option.name, whole, "an array at a place", option.expected); }

  std::int64_t place(std::string_view text) const {
    const bool from_end = text.starts_with('-');
    if (from_end) text.remove_prefix(1);
    if (!is_digits(text)) refuse();
    const std::int64_t at = parse_whole(option.name, text, from_end ? 1 : 0, kLargestTermPlace);
    return from_end ? -at : at;
  }

  PlaceSpan span(std::string_view text) const {
    const std::size_t dots = text.find("..");
    if (dots == text.npos) {
      const std::int64_t at = place(text);
      return {at, at};
    }
    const PlaceSpan found{place(text.substr(0, dots)), place(text.substr(dots + 2))};
    const bool same_end = (found.first < 0) == (found.last < 0);
    if (same_end && found.first > found.last) refuse();
    return found;
  }

  // "H", "H,I" and ",I" of a stage with heads; "I" of others.
  void places(std::string_view text, StageArray& to) const {
    if (!has_heads(to.stage)) {
      to.places = span(text);
      return;
    }
    const std::size_t comma = text.find(',');
    const std::string_view head = text.substr(0, comma);
    if (comma != text.npos) to.places = span(text.substr(comma + 1));
    if (comma != text.npos && head.empty()) return;
    if (!is_digits(head)) refuse();
    to.head = parse_whole(option.name, head, 0, kLargestTermPlace);
  }

  void numbers(std::string_view text, const ArrayOption& allowed, StageArray& to) const {
    if (text.empty()) refuse();
    if (allowed.takes_number) {
      if (const std::optional<double> number = number_in(text)) {
        to.number = static_cast<float>(*number);
        return;
      }
      if (text == "nan") refuse();
    }
    const std::size_t times = text.rfind('*');
    if (allowed.takes_factor && times != text.npos) {
      const std::optional<double> factor = number_in(text.substr(times + 1));
      if (!factor || !std::isfinite(*factor)) refuse();
      to.factor = *factor;
      text = text.substr(0, times);
      if (text.empty()) refuse();
    }
    to.file = text;
  }
};

}  // namespace

const char* option_of(ArrayUse use) {
  return std::find_if(std::begin(kArrayOptions), std::end(kArrayOptions),
                      [&](const ArrayOption& each) { return each.use == use; })
      ->name;
}

std::string term_text(const StageArray& array) {
  std::string place;
  if (array.head) place = fmt::format(":{}", *array.head);
  if (array.places) {
    place += place.empty() ? (has_heads(array.stage) ? ":," : ":") : ",";
    place += span_text(*array.places);
  }
  return marked(array.on, fmt::format("{}{}{}={}{}", array.layer ? fmt::format("{}/", *array.layer) : "", array.stage,
                                      place, array.file.empty() ? fmt::format("{}", array.number) : array.file,
                                      array.factor == 1.0 ? "" : "*" + double_text(array.factor)));
}

void read_term(const InterventionOption& option, std::string_view term, StageArray& to) {
  const Reader reader{option, term};
  const ArrayOption& allowed = array_option(option.name);
  to.use = allowed.use;
  to.on = !taken_off(term);
  const std::size_t equals = term.find('=');
  if (equals == term.npos) reader.refuse();
  std::string_view name = term.substr(0, equals);
  to.layer = taken_layer(option.name, name);
  const std::size_t colon = name.find(':');
  to.stage = name.substr(0, colon);
  if (to.stage == kContextAlias) to.stage = stage_name(StageId::context);
  if (!patches_stream(to.stage) && to.stage != kAttentionArray && !stage_named(to.stage)) reader.refuse();
  if (colon != name.npos) reader.places(name.substr(colon + 1), to);
  reader.numbers(term.substr(equals + 1), allowed, to);
}

bool same_thing(const StageArray& a, const StageArray& b) {
  return a.use == ArrayUse::set && b.use == ArrayUse::set && a.stage == b.stage && a.layer == b.layer &&
         a.head == b.head && a.places == b.places;
}

}  // namespace headscope
