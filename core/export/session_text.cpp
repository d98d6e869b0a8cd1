#include "core/export/session_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/atomic_file.h"
#include "core/io/document_recipe.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"

namespace headscope {

namespace {

constexpr std::size_t kLargestJson = std::size_t{16} << 20;
constexpr std::size_t kLargestPiped = std::size_t{256} << 20;

SessionText text_of(std::span<const std::byte> bytes, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG")) {
    const PngInfo info = parse_png_info(bytes, path);
    const auto recipe = info.texts.find("headscope");
    if (recipe == info.texts.end()) {
      throw Error(
          fmt::format("{}: a picture without Headscope's recipe; expected one that Headscope exported "
                      "(other programs may have removed it)",
                      path));
    }
    return {recipe->second, path + " (its recipe)"};
  }
  if (const DocumentFormat* format = document_format_of(text)) {
    const auto recipe = format->recipe(text, path);
    if (!recipe) {
      throw Error(
          fmt::format("{}: a drawing without Headscope's recipe; expected one that Headscope exported "
                      "(other programs may have removed it)",
                      path));
    }
    return {*recipe, path + " (its recipe)"};
  }
  const std::string seen = describe_bytes(bytes);
  if (!seen.empty() && seen != "JSON text") {
    throw Error(
        fmt::format("{}: not a session: it is {}; expected JSON or a picture exported by Headscope", path, seen));
  }
  if (bytes.size() > kLargestJson) {
    throw Error(fmt::format("{}: not a session: {} bytes; at most {} are read", path, bytes.size(), kLargestJson));
  }
  return {std::string(text), path};
}

}  // namespace

SessionText read_session_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) {  // a shell's <(...)
    const std::string piped = read_small_file(path, kLargestPiped);
    return text_of(std::as_bytes(std::span(piped)), path);
  }
  const auto file = MappedFile::open(path);
  SessionText text = text_of(file->bytes(), path);
  file->check_unchanged();
  return text;
}

}  // namespace headscope
