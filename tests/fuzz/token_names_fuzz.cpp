// Names of tokens in a text, as a list, lines or words: written again, they read back as the same names.
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/model/token_names.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  for (const std::int64_t wanted : {std::int64_t{0}, std::int64_t{3}}) {
    try {
      const std::vector<std::string> names = token_names_in(text, wanted);
      if (!is_valid_utf8(text)) continue;  // what no JSON can hold is written as U+FFFD
      const auto count = static_cast<std::int64_t>(names.size());
      fuzz::require(token_names_in(token_names_text(names), count) == names, "a round trip keeps every name");
    } catch (const Error&) {
    }
  }
  return 0;
}
