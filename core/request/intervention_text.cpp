#include "core/request/intervention_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/request/option_text.h"
#include "core/request/term_parts.h"

namespace headscope {
namespace {

constexpr const char* kFromOther = "@A";

std::string place_text(const LayerHead& place) {
  return fmt::format("{}.{}", place.layer, place.head);
}

LayerHead parse_place(const InterventionOption& option, std::string_view term) {
  const std::size_t dot = term.find('.');
  if (dot == term.npos || !is_digits(term.substr(0, dot)) || !is_digits(term.substr(dot + 1))) {
    refuse_value(option.name, term, "a head", option.expected);
  }
  return {parse_whole(option.name, term.substr(0, dot), 0, kLargestTermPlace),
          parse_whole(option.name, term.substr(dot + 1), 0, kLargestTermPlace)};
}

std::string range_text(std::int64_t begin, std::int64_t end) {
  return (begin == 0 && end == PaintedCells::kToTheEnd ? std::string() : std::to_string(begin)) + ":" +
         (end == PaintedCells::kToTheEnd ? std::string() : std::to_string(end));
}

// "2:5", "2:", ":5", ":" or "2".
std::pair<std::int64_t, std::int64_t> parse_range(const InterventionOption& option, std::string_view text,
                                                  std::string_view term) {
  const auto number = [&](std::string_view digits, std::int64_t otherwise) {
    if (digits.empty()) return otherwise;
    if (!is_digits(digits)) refuse_value(option.name, term, "a rectangle", option.expected);
    return parse_whole(option.name, digits, 0, kLargestTermPlace);
  };
  const std::size_t colon = text.find(':');
  if (colon == text.npos) {
    if (text.empty()) refuse_value(option.name, term, "a rectangle", option.expected);
    const std::int64_t one = number(text, 0);
    return {one, one + 1};
  }
  const std::int64_t begin = number(text.substr(0, colon), 0);
  const std::int64_t end = number(text.substr(colon + 1), PaintedCells::kToTheEnd);
  if (begin >= end) refuse_value(option.name, term, "a rectangle that holds a cell", option.expected);
  return {begin, end};
}

}  // namespace

float parse_edit_value(std::string_view text) {
  constexpr const char* expected = "a number that float32 holds, inf or -inf";
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  const double value = parse_finite("edit", text, expected);
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
    refuse_value("edit", text, "a value", expected);
  }
  return static_cast<float>(value);
}

std::string term_text(const AblatedHead& head) {
  return marked(head.on, place_text(head.place));
}

std::string term_text(const FrozenHead& head) {
  return marked(head.on, place_text(head.place) + (head.as == FrozenHead::As::uniform ? "=uniform" : "=identity"));
}

std::string term_text(const HeadFactor& head) {
  return marked(head.on, (head.place ? place_text(*head.place) + "=" : std::string()) + double_text(head.factor));
}

std::string term_text(const NumberEdit& edit) {
  return marked(edit.on, fmt::format("{}{}:{}={}", edit.layer ? fmt::format("{}/", *edit.layer) : "", edit.tensor,
                                     fmt::join(edit.index, ","), edit.value));
}

std::string term_text(const PaintedCells& cells) {
  return marked(cells.on,
                fmt::format("{}@{},{}", cells.hides ? "hide" : "show", range_text(cells.query_begin, cells.query_end),
                            range_text(cells.key_begin, cells.key_end)));
}

std::string term_text(const PatchedStage& patch) {
  std::string place;
  if (patch.head) place = fmt::format(":{}", *patch.head);
  if (patch.position) {
    place += place.empty() ? (has_heads(patch.stage) ? ":," : ":") : ",";
    place += std::to_string(*patch.position);
  }
  return marked(patch.on, fmt::format("{}{}{}{}", patch.layer ? fmt::format("{}/", *patch.layer) : "", patch.stage,
                                      place, kFromOther));
}

void read_term(const InterventionOption& option, std::string_view term, AblatedHead& to) {
  to.on = !taken_off(term);
  to.place = parse_place(option, term);
}

void read_term(const InterventionOption& option, std::string_view term, FrozenHead& to) {
  const std::string_view whole_term = term;
  to.on = !taken_off(term);
  const std::size_t equals = std::min(term.find('='), term.size());
  to.place = parse_place(option, term.substr(0, equals));
  const std::string_view as = term.substr(std::min(equals + 1, term.size()));
  if (as != "uniform" && as != "identity") refuse_value(option.name, whole_term, "a frozen head", option.expected);
  to.as = as == "uniform" ? FrozenHead::As::uniform : FrozenHead::As::identity;
}

void read_term(const InterventionOption& option, std::string_view term, HeadFactor& to) {
  to.on = !taken_off(term);
  if (const std::size_t equals = term.find('='); equals != term.npos) {
    to.place = parse_place(option, term.substr(0, equals));
    term.remove_prefix(equals + 1);
  }
  to.factor = parse_finite(option.name, term, option.expected);
}

void read_term(const InterventionOption& option, std::string_view term, NumberEdit& to) {
  const std::string_view whole_term = term;
  const auto refuse = [&] { refuse_value(option.name, whole_term, "an edit", option.expected); };
  to.on = !taken_off(term);
  // From the right: a tensor's name may hold any sign but ';'.
  const std::size_t equals = term.rfind('=');
  const std::size_t colon = equals == term.npos ? term.npos : term.rfind(':', equals);
  if (colon == term.npos) refuse();
  to.value = parse_edit_value(term.substr(equals + 1));
  std::string_view places = term.substr(colon + 1, equals - colon - 1);
  for (bool more = true; more;) {
    const std::size_t comma = places.find(',');
    const std::string_view place = places.substr(0, comma);
    if (!is_digits(place) || to.index.size() == 5) refuse();
    to.index.push_back(parse_whole(option.name, place, 0, kLargestTermPlace));
    more = comma != places.npos;
    if (more) places.remove_prefix(comma + 1);
  }
  std::string_view name = term.substr(0, colon);
  to.layer = taken_layer(option.name, name);
  if (name.empty()) refuse();
  to.tensor = name;
}

void read_term(const InterventionOption& option, std::string_view term, PaintedCells& to) {
  const std::string_view whole_term = term;
  to.on = !taken_off(term);
  to.hides = term.starts_with("hide@");
  const std::size_t comma = term.find(',');
  if ((!to.hides && !term.starts_with("show@")) || comma == term.npos) {
    refuse_value(option.name, whole_term, "a rectangle", option.expected);
  }
  constexpr std::size_t kWord = std::string_view("hide@").size();
  std::tie(to.query_begin, to.query_end) = parse_range(option, term.substr(kWord, comma - kWord), whole_term);
  std::tie(to.key_begin, to.key_end) = parse_range(option, term.substr(comma + 1), whole_term);
}

void read_term(const InterventionOption& option, std::string_view term, PatchedStage& to) {
  const std::string_view whole_term = term;
  const auto refuse = [&] { refuse_value(option.name, whole_term, "a patch", option.expected); };
  to.on = !taken_off(term);
  if (!term.ends_with(kFromOther)) refuse();
  term.remove_suffix(std::string_view(kFromOther).size());
  const std::size_t colon = std::min(term.find(':'), term.size());
  std::string_view name = term.substr(0, colon);
  to.layer = taken_layer(option.name, name);
  to.stage = name;
  if (!patches_stream(name) && !stage_named(name)) refuse();
  if (colon == term.size()) return;
  const auto number = [&](std::string_view digits) {
    if (!is_digits(digits)) refuse();
    return parse_whole(option.name, digits, 0, kLargestTermPlace);
  };
  const std::string_view place = term.substr(colon + 1);
  const std::size_t comma = place.find(',');
  if (comma != place.npos) to.position = number(place.substr(comma + 1));
  const std::string_view first = place.substr(0, comma);
  if (comma != place.npos && first.empty()) return;
  (has_heads(name) ? to.head : to.position) = number(first);
  if (comma != place.npos && !to.head) refuse();
}

bool same_thing(const NumberEdit& a, const NumberEdit& b) {
  return a.tensor == b.tensor && a.index == b.index && a.layer == b.layer;
}

bool same_thing(const PaintedCells&, const PaintedCells&) {
  return false;
}

bool same_thing(const PatchedStage& a, const PatchedStage& b) {
  return a.stage == b.stage && a.layer == b.layer && a.head == b.head && a.position == b.position;
}

std::vector<std::string> split_terms(const InterventionOption& option, const std::string& text) {
  check_text(option.name, text, true);
  if (text == "none") return {};
  if (option.separator == ',') return parse_list(option.name, text, option.list, option.expected);
  std::vector<std::string> terms;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(option.separator, begin), text.size());
    if (end == begin) refuse_value(option.name, text, option.list, option.expected);
    terms.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return terms;
    begin = end + 1;
  }
}

}  // namespace headscope
