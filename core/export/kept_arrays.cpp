#include "core/export/kept_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/json_text.h"
#include "core/model/own_arrays.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;
using Kind = JsonValue::Kind;

constexpr std::size_t kHashDigits = 64;

[[noreturn]] void refuse(const std::string& what, const std::string& found, const char* expected) {
  throw Error(fmt::format("{}: \"{}\": {}; expected {}", what, kKeptArrays, found, expected));
}

const JsonValue& member(const JsonValue& of, const char* key, Kind kind, const std::string& what,
                        const char* expected) {
  const JsonValue* found = of.find(key);
  if (found == nullptr || found->kind != kind) {
    refuse(what, fmt::format("found {} at {}", found == nullptr ? "nothing" : json_kind_name(found->kind), key),
           expected);
  }
  return *found;
}

template <typename Number>
std::vector<Number> numbers_in(const JsonValue& list, const std::string& what) {
  std::vector<Number> numbers;
  for (const JsonValue& item : list.items) {
    Number number{};
    const char* end = item.text.data() + item.text.size();
    const auto [next, error] = std::from_chars(item.text.data(), end, number);
    if (item.kind != Kind::number || error != std::errc() || next != end) {
      refuse(what, fmt::format("found {} in a list of numbers", item.text), "finite numbers, and whole ones in shape");
    }
    numbers.push_back(number);
  }
  return numbers;
}

// What one item of the list says of a file.
struct Kept {
  std::string file, sha256;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

Kept read_kept(const JsonValue& item, const std::string& what) {
  constexpr const char* expected = "objects with file, sha256 and for small arrays shape and values";
  if (item.kind != Kind::object) refuse(what, fmt::format("found {}", json_kind_name(item.kind)), expected);
  Kept kept{member(item, "file", Kind::string, what, expected).text,
            member(item, "sha256", Kind::string, what, expected).text,
            {},
            {}};
  const std::string& hash = kept.sha256;
  if (hash.size() != kHashDigits || hash.find_first_not_of("0123456789abcdef") != hash.npos) {
    refuse(what, "found a sha256 that is none", "64 hexadecimal digits");
  }
  if (item.find("values") == nullptr) return kept;
  kept.shape = numbers_in<std::int64_t>(member(item, "shape", Kind::array, what, expected), what);
  kept.values = numbers_in<float>(member(item, "values", Kind::array, what, expected), what);
  // Sizes are held against the numbers one by one, so that their product stays small.
  std::size_t left = kept.values.size();
  bool fits = !kept.shape.empty() && kept.shape.size() <= 5 && left > 0;
  for (const std::int64_t size : kept.shape) {
    fits = fits && size > 0 && left % static_cast<std::size_t>(size) == 0;
    if (fits) left /= static_cast<std::size_t>(size);
  }
  if (!fits || left != 1) {
    refuse(what, fmt::format("found {} values of {}", kept.values.size(), kept.file), "as many as their shape has");
  }
  return kept;
}

}  // namespace

Request kept_request(const Trace& trace) {
  return trace.inputs == nullptr ? trace.request : with_kept_arrays(trace.request, *trace.inputs);
}

std::string kept_arrays_json(const Request& request) {
  Json list = Json::array();
  std::vector<std::string> known;
  visit_arrays(request, [&](const auto&, const StageArray& array) {
    if (array.sha256.empty() || std::find(known.begin(), known.end(), array.file) != known.end()) return;
    known.push_back(array.file);
    Json item = {{"file", array.file}, {"sha256", array.sha256}};
    if (!array.values.empty()) {
      item["shape"] = array.shape;
      Json values = Json::array();
      for (const float value : array.values) values.push_back(json_number(static_cast<double>(value)));
      item["values"] = std::move(values);
    }
    list.push_back(std::move(item));
  });
  return list.empty() ? "" : json_dump(list);
}

void read_kept_arrays(const JsonValue* list, const std::string& what, Request& request) {
  if (list == nullptr) return;
  if (list->kind != Kind::array) refuse(what, fmt::format("found {}", json_kind_name(list->kind)), "a list of arrays");
  for (const JsonValue& item : list->items) {
    const Kept kept = read_kept(item, what);
    bool named = false;
    visit_arrays(request, [&](const auto&, StageArray& array) {
      if (array.file != kept.file) return;
      named = true;
      array.sha256 = kept.sha256;
      array.shape = kept.shape;
      array.values = kept.values;
    });
    if (!named || kept.file.empty()) refuse(what, "found " + kept.file, "files that set, add or project_out name");
  }
}

}  // namespace headscope
