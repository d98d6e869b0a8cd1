#include "core/request/intervention_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/request/option_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kLargestPlace = std::int64_t{1} << 40;
constexpr const char* kOff = "off:";
constexpr const char* kHeads = "none, or LAYER.HEAD[,LAYER.HEAD...], such as 0.3,0.5";
constexpr const char* kFreezes = "none, or LAYER.HEAD=uniform|identity, such as 0.3=uniform,0.5=identity";
constexpr const char* kFactors = "none, or a number, or LAYER.HEAD=NUMBER, such as 2 or 0.3=0.5,1.0=2";
constexpr const char* kEdits =
    "none, or STAGE:B,H,I,J=VALUE[;...], such as scores:0,2,3,1=0.5, 1/input:0,4,7=-2 or qkv_layer.weight:3,7=0";
constexpr const char* kPaints = "none, or hide@I0:I1,J0:J1 or show@I0:I1,J0:J1[;...], such as hide@:,3:4";

// Takes "off:" away; whether it was there.
bool taken_off(std::string_view& term) {
  if (!term.starts_with(kOff)) return false;
  term.remove_prefix(std::string_view(kOff).size());
  return true;
}

std::string marked(bool on, std::string text) {
  return on ? std::move(text) : kOff + text;
}

template <typename Terms, typename Text>
std::string joined(const Terms& terms, char separator, const Text& text_of) {
  std::string text;
  for (const auto& term : terms) {
    if (!text.empty()) text += separator;
    text += text_of(term);
  }
  return text;
}

bool only_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::string place_text(const LayerHead& place) {
  return fmt::format("{}.{}", place.layer, place.head);
}

LayerHead parse_place(const char* option, std::string_view term, const char* expected) {
  const std::size_t dot = term.find('.');
  if (dot == term.npos || !only_digits(term.substr(0, dot)) || !only_digits(term.substr(dot + 1))) {
    refuse_value(option, term, "a head", expected);
  }
  return {parse_whole(option, term.substr(0, dot), 0, kLargestPlace),
          parse_whole(option, term.substr(dot + 1), 0, kLargestPlace)};
}

std::vector<std::string> parse_terms(const char* option, const std::string& text, char separator, const char* kind,
                                     const char* expected) {
  check_text(option, text, true);
  if (text == "none") return {};
  if (separator == ',') return parse_list(option, text, kind, expected);
  std::vector<std::string> terms;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end == begin) refuse_value(option, text, kind, expected);
    terms.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return terms;
    begin = end + 1;
  }
}

// Appends `term`, in the place of an earlier one about the same thing.
template <typename Term, typename Same>
void put(std::vector<Term>& terms, Term term, const Same& same) {
  std::erase_if(terms, [&](const Term& other) { return same(other, term); });
  terms.push_back(std::move(term));
}

bool before(const LayerHead& a, const LayerHead& b) {
  return std::pair(a.layer, a.head) < std::pair(b.layer, b.head);
}

void set_factors(const char* option, std::vector<HeadFactor>& to, const std::string& text) {
  std::vector<HeadFactor> factors;
  for (const std::string& each : parse_terms(option, text, ',', "a list of factors", kFactors)) {
    std::string_view term = each;
    HeadFactor factor;
    factor.on = !taken_off(term);
    if (const std::size_t equals = term.find('='); equals != term.npos) {
      factor.place = parse_place(option, term.substr(0, equals), kFactors);
      term.remove_prefix(equals + 1);
    }
    factor.factor = parse_finite(option, term, kFactors);
    put(factors, factor, [](const HeadFactor& a, const HeadFactor& b) { return a.place == b.place; });
  }
  to = std::move(factors);
}

std::string range_text(std::int64_t begin, std::int64_t end) {
  return (begin == 0 && end == PaintedCells::kToTheEnd ? std::string() : std::to_string(begin)) + ":" +
         (end == PaintedCells::kToTheEnd ? std::string() : std::to_string(end));
}

// "2:5", "2:", ":5", ":" or "2".
std::pair<std::int64_t, std::int64_t> parse_range(std::string_view text, std::string_view term) {
  const auto number = [&](std::string_view digits, std::int64_t otherwise) {
    if (digits.empty()) return otherwise;
    if (!only_digits(digits)) refuse_value("paint", term, "a rectangle", kPaints);
    return parse_whole("paint", digits, 0, kLargestPlace);
  };
  const std::size_t colon = text.find(':');
  if (colon == text.npos) {
    if (text.empty()) refuse_value("paint", term, "a rectangle", kPaints);
    const std::int64_t one = number(text, 0);
    return {one, one + 1};
  }
  const std::int64_t begin = number(text.substr(0, colon), 0);
  const std::int64_t end = number(text.substr(colon + 1), PaintedCells::kToTheEnd);
  if (begin >= end) refuse_value("paint", term, "a rectangle that holds a cell", kPaints);
  return {begin, end};
}

NumberEdit parse_edit(std::string_view term) {
  const std::string_view whole_term = term;
  NumberEdit edit;
  edit.on = !taken_off(term);
  // From the right: a tensor's name may hold any sign but ';'.
  const std::size_t equals = term.rfind('=');
  const std::size_t colon = equals == term.npos ? term.npos : term.rfind(':', equals);
  if (colon == term.npos) refuse_value("edit", whole_term, "an edit", kEdits);
  edit.value = parse_edit_value(term.substr(equals + 1));
  std::string_view places = term.substr(colon + 1, equals - colon - 1);
  for (bool more = true; more;) {
    const std::size_t comma = places.find(',');
    const std::string_view place = places.substr(0, comma);
    if (!only_digits(place) || edit.index.size() == 5) refuse_value("edit", whole_term, "an edit", kEdits);
    edit.index.push_back(parse_whole("edit", place, 0, kLargestPlace));
    more = comma != places.npos;
    if (more) places.remove_prefix(comma + 1);
  }
  std::string_view name = term.substr(0, colon);
  if (const std::size_t slash = name.find('/'); slash != name.npos && only_digits(name.substr(0, slash))) {
    edit.layer = parse_whole("edit", name.substr(0, slash), 0, kLargestPlace);
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) refuse_value("edit", whole_term, "an edit", kEdits);
  edit.tensor = name;
  return edit;
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

std::string freeze_text(const FrozenHead& head) {
  return marked(head.on, place_text(head.place) + (head.as == FrozenHead::As::uniform ? "=uniform" : "=identity"));
}

std::string factor_text(const HeadFactor& head) {
  return marked(head.on, (head.place ? place_text(*head.place) + "=" : std::string()) + double_text(head.factor));
}

std::string edit_text(const NumberEdit& edit) {
  return marked(edit.on, fmt::format("{}{}:{}={}", edit.layer ? fmt::format("{}/", *edit.layer) : "", edit.tensor,
                                     fmt::join(edit.index, ","), edit.value));
}

std::string paint_text(const PaintedCells& cells) {
  return marked(cells.on,
                fmt::format("{}@{},{}", cells.hides ? "hide" : "show", range_text(cells.query_begin, cells.query_end),
                            range_text(cells.key_begin, cells.key_end)));
}

std::string ablate_text(const Request& request) {
  const std::string on = joined(request.ablate, ',', place_text);
  const std::string off =
      joined(request.ablate_off, ',', [](const LayerHead& place) { return kOff + place_text(place); });
  return on + (on.empty() || off.empty() ? "" : ",") + off;
}

std::string freeze_text(const Request& request) {
  return joined(request.freeze, ',', [](const FrozenHead& head) { return freeze_text(head); });
}

std::string factors_text(const std::vector<HeadFactor>& factors) {
  return joined(factors, ',', factor_text);
}

std::string edits_text(const Request& request) {
  return joined(request.edits, ';', edit_text);
}

std::string paint_text(const Request& request) {
  return joined(request.paint, ';', [](const PaintedCells& cells) { return paint_text(cells); });
}

void set_ablate(Request& request, const std::string& text) {
  std::vector<LayerHead> on, off;
  for (const std::string& each : parse_terms("ablate", text, ',', "a list of heads", kHeads)) {
    std::string_view term = each;
    const bool is_off = taken_off(term);
    const LayerHead place = parse_place("ablate", term, kHeads);
    std::erase(on, place);
    std::erase(off, place);
    (is_off ? off : on).push_back(place);
  }
  std::sort(on.begin(), on.end(), before);
  std::sort(off.begin(), off.end(), before);
  request.ablate = std::move(on);
  request.ablate_off = std::move(off);
}

void set_freeze(Request& request, const std::string& text) {
  std::vector<FrozenHead> heads;
  for (const std::string& each : parse_terms("freeze", text, ',', "a list of frozen heads", kFreezes)) {
    std::string_view term = each;
    FrozenHead head;
    head.on = !taken_off(term);
    const std::size_t equals = std::min(term.find('='), term.size());
    head.place = parse_place("freeze", term.substr(0, equals), kFreezes);
    const std::string_view as = term.substr(std::min(equals + 1, term.size()));
    if (as != "uniform" && as != "identity") refuse_value("freeze", each, "a frozen head", kFreezes);
    head.as = as == "uniform" ? FrozenHead::As::uniform : FrozenHead::As::identity;
    put(heads, head, [](const FrozenHead& a, const FrozenHead& b) { return a.place == b.place; });
  }
  request.freeze = std::move(heads);
}

void set_scale_query(Request& request, const std::string& text) {
  set_factors("scale-query", request.scale_query, text);
}

void set_scale_key(Request& request, const std::string& text) {
  set_factors("scale-key", request.scale_key, text);
}

void set_edits(Request& request, const std::string& text) {
  std::vector<NumberEdit> edits;
  for (const std::string& term : parse_terms("edit", text, ';', "a list of edits", kEdits)) {
    put(edits, parse_edit(term), [](const NumberEdit& a, const NumberEdit& b) {
      return a.tensor == b.tensor && a.index == b.index && a.layer == b.layer;
    });
  }
  request.edits = std::move(edits);
}

void set_paint(Request& request, const std::string& text) {
  std::vector<PaintedCells> paint;
  for (const std::string& each : parse_terms("paint", text, ';', "a list of rectangles", kPaints)) {
    std::string_view term = each;
    PaintedCells cells;
    cells.on = !taken_off(term);
    cells.hides = term.starts_with("hide@");
    const std::size_t comma = term.find(',');
    if ((!cells.hides && !term.starts_with("show@")) || comma == term.npos) {
      refuse_value("paint", each, "a rectangle", kPaints);
    }
    constexpr std::size_t kWord = std::string_view("hide@").size();
    std::tie(cells.query_begin, cells.query_end) = parse_range(term.substr(kWord, comma - kWord), each);
    std::tie(cells.key_begin, cells.key_end) = parse_range(term.substr(comma + 1), each);
    paint.push_back(cells);
  }
  request.paint = std::move(paint);
}

}  // namespace headscope
