#include "app/session/phrase_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/io/atomic_file.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

constexpr std::size_t kMostPhraseBytes = std::size_t{64} << 20;

}  // namespace

std::string read_phrase_file(const std::string& path) {
  std::string text = read_small_file(path, kMostPhraseBytes);
  const std::string seen = describe_bytes(std::as_bytes(std::span(text)));
  const std::size_t invalid = first_invalid_byte(text), nul = text.find('\0');
  const bool is_text = invalid == std::string::npos && nul == std::string::npos;
  if (!is_text && !seen.empty()) throw Error(fmt::format("{}: is {}; expected a UTF-8 text file", path, seen));
  if (invalid != std::string::npos) {
    throw Error(fmt::format("{}: byte {} (0x{:02x}) is not UTF-8; expected a UTF-8 text file", path, invalid,
                            static_cast<unsigned>(static_cast<unsigned char>(text[invalid]))));
  }
  if (nul != std::string::npos) {
    throw Error(fmt::format("{}: byte {} is a NUL; expected a UTF-8 text file", path, nul));
  }
  // A byte order mark is no part of the first word.
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

bool is_phrase_file(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension == ".txt" || extension == ".text" || extension == ".md";
}

}  // namespace headscope
