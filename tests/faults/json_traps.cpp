#include "tests/faults/json_traps.h"

namespace headscope::test {

namespace {

std::string times(int count, const std::string& text) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

// No JSON, wherever a value stands.
std::vector<JsonTrap> bad_values() {
  return {
      {"nothing", ""},
      {"leading zero", "01"},
      {"no digit after the point", "1."},
      {"no digit before the point", ".5"},
      {"plus", "+1"},
      {"minus alone", "-"},
      {"hexadecimal", "0x10"},
      {"exponent without digits", "1e"},
      {"NaN", "NaN", false, true},
      {"Infinity", "-Infinity", false, true},
      {"number above every double", "1e999", true},
      {"number below every double", "-1e999", true},
      {"half a word", "tru"},
      {"large word", "True"},
      {"single quotes", "'a'"},
      {"string without end", "\"a"},
      {"escape without digits", R"("\u12")"},
      {"unknown escape", R"("\x41")"},
      {"high surrogate alone", R"("\ud800")"},
      {"low surrogate alone", R"("\udc00")"},
      {"surrogates the wrong way round", R"("\udc00\ud800")"},
      {"tab in a string", "\"a\tb\""},
      {"line feed in a string", "\"a\nb\""},
      {"NUL in a string", std::string("\"a\0b\"", 5)},
      {"NUL for a value", std::string(1, '\0')},
      {"byte that is no UTF-8", "\"\xff\""},
      {"UTF-8 cut short", "\"\xc3\""},
      {"overlong slash", "\"\xc0\xaf\""},
      {"surrogate in UTF-8", "\"\xed\xa0\x80\""},
      {"beyond Unicode", "\"\xf4\x90\x80\x80\""},
      {"comma at the end of a list", "[1,]"},
      {"comma alone", "[,1]"},
      {"two commas", "[1,,2]"},
      {"no comma", "[1 2]"},
      {"list without end", "[1"},
      {"bracket of another kind", "[1}"},
      {"comma at the end of an object", R"({"a":1,})"},
      {"no colon", R"({"a" 1})"},
      {"colon alone", R"({:1})"},
      {"key without a value", R"({"a":})"},
      {"number for a key", R"({1:2})"},
      {"key without quotes", R"({a:1})"},
      {"key twice", R"({"a":1,"a":2})", true},
      {"key twice by an escape", R"({"a":1,"\u0061":2})", true},
      {"comment", "/* a */ 1"},
      {"comment of a line", "1 // a\n"},
      {"no-break space",
       "\xc2\xa0"
       "1"},
      {"vertical tab", "\v1"},
      {"1,000 lists in each other", times(1000, "[") + times(1000, "]")},
      {"100,000 lists without end", times(100000, "[")},
      {"100,000 objects without end", times(100000, "{\"a\":")},
  };
}

}  // namespace

std::vector<JsonTrap> json_traps(const std::string& object) {
  std::vector<JsonTrap> traps = {
      {"byte order mark", "\xef\xbb\xbf" + object},
      {"two values", object + object},
      {"bracket behind", object + "}"},
      {"NUL behind", object + std::string(1, '\0')},
      {"NUL in front", std::string(1, '\0') + object},
      {"byte behind", object + "\xff"},
      {"number instead", "12"},
      {"text instead", "\"a\""},
      {"null instead", "null"},
      {"list instead", "[[]]"},
      {"blanks alone", " \n\t "},
  };
  const std::string rest = object.substr(1);
  for (const JsonTrap& bad : bad_values()) {
    traps.push_back({bad.name + " alone", bad.text});
    traps.push_back({bad.name + " in it", "{\"trap\":" + bad.text + "," + rest, bad.passed_over, bad.of_python});
  }
  // The first member twice: up to the comma or bracket that ends it, outside of strings and brackets.
  int depth = 0;
  bool quoted = false;
  for (std::size_t k = 1; k < object.size(); ++k) {
    const char c = object[k];
    if (c == '"' && object[k - 1] != '\\') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && (c == ',' || c == '}')) {
      traps.push_back({"first key twice", "{" + object.substr(1, k - 1) + "," + rest});
      break;
    }
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
  }
  return traps;
}

}  // namespace headscope::test
