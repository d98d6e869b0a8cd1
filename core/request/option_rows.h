// Rows of the table of REQUEST that are paths, sizes and seeds, and the reach of options that read what grows with the
// text or does not.
#pragma once

#include <cstdint>
#include <string>

#include "core/request/option_reach.h"
#include "core/request/option_scope.h"
#include "core/request/option_text.h"
#include "core/request/option_values.h"
#include "core/request/option_words.h"
#include "core/request/request.h"
#include "core/request/request_text.h"
#include "core/request/size_words.h"

namespace headscope {

// A file's path, or a model's name.
template <OptionName name, auto field>
RequestOption path_option(const char* placeholder, const char* help, OptionReach reach = {}, OptionScope scope = {}) {
  return {name.text,
          placeholder,
          help,
          [](const Request& request) { return request.*field == Request{}.*field ? std::string() : request.*field; },
          [](Request& request, const std::string& text) {
            check_text(name.text, text, false);
            if (text.empty()) refuse_value(name.text, text, "a path", "the name of a file");
            request.*field = text;
          },
          false,
          reach,
          scope};
}

// A size that may be left open.
template <OptionName name, auto field>
RequestOption size_option(const char* help, OptionReach reach = {}, OptionScope scope = {}) {
  return {name.text,
          "N",
          help,
          [](const Request& request) { return request.*field ? std::to_string(*(request.*field)) : std::string(); },
          [](Request& request, const std::string& text) { request.*field = parse_size(name.text, text); },
          true,
          reach,
          scope};
}

template <OptionName name, auto field>
RequestOption seed_option(const char* help, OptionReach reach = {}, OptionScope scope = {}) {
  return {name.text,
          "N",
          help,
          [](const Request& request) { return request.*field == 0 ? std::string() : std::to_string(request.*field); },
          [](Request& request, const std::string& text) { request.*field = parse_seed(name.text, text); },
          true,
          reach,
          scope};
}

// As far as `apart` where the field is not at its default.
template <auto field, RowsApart apart>
RowsApart where_given(const Request& request) {
  static const Request plain;
  return request.*field == plain.*field ? RowsApart::everywhere : apart;
}

// Vectors, keys or cells of their own, which need not grow with the text.
template <auto field, RowsApart apart = RowsApart::projections>
constexpr OptionReach kOwnInputs{OptionChanges::inputs, where_given<field, apart>};

}  // namespace headscope
