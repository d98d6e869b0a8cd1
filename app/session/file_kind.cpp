// What kind of file or folder a path is.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "app/session/documents.h"
#include "core/base/error.h"
#include "core/io/files_read.h"
#include "core/io/mapped_file.h"
#include "core/io/page_recipe.h"
#include "core/io/pdf.h"
#include "core/io/svg.h"
#include "core/io/tensor_formats.h"
#include "core/io/torch_file.h"
#include "core/io/vocabulary_bytes.h"

namespace headscope {

FileKind file_kind(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return FileKind::folder;
  const ReadingAs looking(ReadAs::passing);
  const auto file = MappedFile::open(path);
  const std::span<const std::byte> bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG")) return FileKind::png;
  if (text.starts_with("\xFF\xD8\xFF")) return FileKind::jpeg;
  if (is_svg(text)) return FileKind::svg;
  if (is_pdf(text)) return FileKind::pdf;
  if (is_page(text)) return FileKind::page;
  if (text.starts_with("\x93NUMPY")) return FileKind::npy;
  if (text.starts_with("GGUF")) return FileKind::gguf;
  // Other programs' archives are zips, too.
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npz" && text.starts_with("PK")) return FileKind::npz;
  if (begins_like_torch(bytes) && (!text.starts_with("PK") || is_torch_archive(bytes))) return FileKind::torch;
  // A safetensors file starts with the length of its header, and the header is a JSON object.
  if (text.size() > 8 && text[8] == '{' && text[7] == '\0' && text[6] == '\0') return FileKind::safetensors;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return FileKind::json;
  // What it is not tells nothing: its name says which reader explains best what is wrong with it.
  if (extension == ".png") return FileKind::png;
  if (extension == ".jpg" || extension == ".jpeg") return FileKind::jpeg;
  if (extension == ".svg") return FileKind::svg;
  if (extension == ".pdf") return FileKind::pdf;
  if (extension == ".npy") return FileKind::npy;
  if (extension == ".npz") return FileKind::npz;
  if (extension == ".safetensors" || extension == ".hsagg") return FileKind::safetensors;
  if (extension == ".pt" || extension == ".pth") return FileKind::torch;
  if (const std::string unread = unread_format(path); !unread.empty()) throw Error(path + " is " + unread + ".");
  if (extension == ".gguf") return FileKind::gguf;
  if (extension == ".json") return FileKind::json;
  std::string found = describe_bytes(bytes.first(std::min<std::size_t>(bytes.size(), 4096)));
  if (found.empty()) found = describe_vocabulary(bytes);
  throw Error(
      path + (found.empty() ? " is none of the files that Headscope knows" : " is " + found) +
      "; expected a session (.json), a picture exported by Headscope (.png, .svg, .pdf, .html), one attention layer "
      "(.safetensors, .bin, .pt, .pth), a model (.gguf), a capture (.safetensors, .npy, .npz, .pt), an input (.npy), "
      "a phrase (.txt), what a scan has counted (.hsagg) or, where the open model reads images, a picture (.png, "
      ".jpg).");
}

}  // namespace headscope
