// A row of the table of REQUEST whose value is one of a few words.
#pragma once

#include <string>

#include "core/request/option_reach.h"
#include "core/request/option_scope.h"
#include "core/request/option_text.h"
#include "core/request/option_words.h"
#include "core/request/request_text.h"

namespace headscope {

// One of a few words.
template <OptionName name, auto field, const auto& words>
RequestOption word_option(const char* placeholder, const char* help, OptionReach reach = {}, OptionScope scope = {}) {
  return {name.text,
          placeholder,
          help,
          [](const Request& request) -> std::string {
            if (request.*field == Request{}.*field) return "";
            for (const auto& word : words) {
              if (word.value == request.*field) return word.text;
            }
            return "";
          },
          [](Request& request, const std::string& text) {
            for (const auto& word : words) {
              if (text == word.text) {
                request.*field = word.value;
                return;
              }
            }
            refuse_value(name.text, text, "a known value", expected_words(words));
          },
          false,
          reach,
          scope};
}

}  // namespace headscope
