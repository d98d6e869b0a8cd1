#include "core/corpus/model_identity.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "core/io/sha256.h"
#include "core/request/model_text.h"

namespace headscope {
namespace {

// Words, numbers, blanks, marks, case, and what is normalised by some: ligatures, accents of their own, wide letters.
constexpr const char* kProbe =
    "The animal didn't cross the street because it was too tired, was it? 3.14159 and 1,000,000 are numbers;  two  "
    "blanks\tand a tab\nand a line. def f(x): return x ** 2 != y[0]  # 'quoted' \"twice\" HTTPServer_v2 caf\xC3\xA9 "
    "cafe\xCC\x81 na\xC3\xAFve \xEF\xAC\x81 \xEF\xBC\xA1 Stra\xC3\x9F"
    "e \xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82 "
    "\xE4\xBD\xA0\xE5\xA5\xBD \xE3\x81\x93\xE3\x82\x93 \xD8\xB3\xD9\x84\xD8\xA7\xD9\x85 \xF0\x9F\x91\xA9\xE2\x80\x8D"
    "\xF0\x9F\x91\xA7 unbelievably antidisestablishmentarianism";

std::string base_name(const std::string& path) {
  if (path.starts_with("demo:")) return path;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
  const std::string last = whole.filename().string();
  return last.empty() ? whole.parent_path().filename().string() : last;
}

}  // namespace

std::string model_name(const std::string& model) {
  return with_adapter_names(base_name(base_of_model(model)), model);
}

std::string tokenizer_identity(const Tokenizer& tokenizer) {
  Sha256 sha;
  const auto add = [&sha](std::string_view text) {
    sha.add(text);
    sha.add(std::string_view("\0", 1));
  };
  add(tokenizer.kind());
  const std::int64_t size = tokenizer.vocabulary_size();
  for (std::int64_t id = 0; id < size; ++id) add(tokenizer.piece_of(id));
  for (const std::int64_t id : tokenizer.special().all) add(std::to_string(id));
  for (const std::int64_t id : tokenizer.tokenize(kProbe).ids) add(std::to_string(id));
  return fmt::format("{}, {} pieces, {}", tokenizer.kind(), size, sha.hex().substr(0, 16));
}

}  // namespace headscope
