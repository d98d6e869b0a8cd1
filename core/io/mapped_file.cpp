#include "core/io/mapped_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_advice.h"
#include "core/base/memory_failures.h"
#include "core/base/system/files.h"
#include "core/base/system/memory_map.h"
#include "core/io/files_read.h"
#include "core/io/mapping_guard.h"

namespace headscope {

namespace {

std::string system_words(int error) {
  return std::strerror(error);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

// By its mark, or by the zero beside each of its first letters, which are ASCII in what is read here.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  constexpr std::size_t kSeen = 8;
  if (text.size() < kSeen) return false;
  const auto letters_at = [&](std::size_t first) {
    for (std::size_t k = 0; k < kSeen; k += 2) {
      const char letter = text[k + first], zero = text[k + 1 - first];
      if (zero != 0 || ((letter < ' ' || letter > '~') && letter != '\n' && letter != '\r' && letter != '\t'))
        return false;
    }
    return true;
  };
  return letters_at(0) || letters_at(1);
}

bool begins_like_html(std::string_view text) {
  std::string start(text.substr(0, 14));
  std::transform(start.begin(), start.end(), start.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return start.starts_with("<!doctype html") || start.starts_with("<html") || start.starts_with("<head");
}

}  // namespace

void MappedFile::read_without_size(int file) {
  constexpr std::size_t kMost = std::size_t{64} << 20, kPiece = std::size_t{1} << 16;
  std::size_t size = 0;
  while (true) {
    if (size > kMost)
      throw Error(
          fmt::format("{}: has more than {} bytes, which is too large for a file without a size", path_, kMost));
    read_.resize(size + kPiece);
    const std::ptrdiff_t got = system::read_some(file, read_.data() + size, kPiece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error(fmt::format("{}: {}", path_, system_words(errno)));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  read_.resize(size);
  data_ = read_.data();
  size_ = size;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  if (path.empty()) throw Error("an empty path names no file");
  if (path.find('\0') != std::string::npos) throw Error("a path cannot hold a NUL byte");
  note_file_in_work(path);
  // Opening a pipe without a writer must not wait for ever.
  const int file = system::open_file(path, system::Opening::read_at_once);
  if (file < 0 && errno != EISDIR) throw Error(fmt::format("{}: {}", path, system_words(errno)));
  struct Closer {
    int file;
    ~Closer() {
      if (file >= 0) system::close_file(file);
    }
  } closer{file};
  const std::optional<system::EntryFacts> facts = file < 0 ? system::facts_of(path) : system::facts_of(file);
  if (!facts) throw Error(fmt::format("{}: {}", path, system_words(errno)));
  note_large_file(path, facts->size);
  if (facts->kind == system::EntryKind::folder) throw Error(fmt::format("{}: is a folder; expected a file", path));
  if (facts->kind != system::EntryKind::regular) {
    throw Error(fmt::format("{}: is a device, pipe or socket; expected an ordinary file", path));
  }
  note_read(path, *facts);
  if (facts->size > std::numeric_limits<std::size_t>::max() / 2) {
    throw Error(fmt::format("{}: too large to map ({} bytes)", path, facts->size));
  }

  std::shared_ptr<MappedFile> mapped(new MappedFile);
  mapped->path_ = path;
  const auto size = static_cast<std::size_t>(facts->size);
  if (size == 0) {
    mapped->read_without_size(file);
    return mapped;
  }
  const void* const memory = system::map_file(file, size);
  if (memory == nullptr) throw Error(fmt::format("{}: cannot be mapped: {}", path, system_words(errno)));
  mapped->data_ = static_cast<const std::byte*>(memory);
  mapped->size_ = size;
  mapped->file_ = file;
  mapped->guard_ = std::make_unique<MappingGuard>(memory, size, path, std::exchange(closer.file, -1));
  return mapped;
}

void MappedFile::check_unchanged() const {
  if (guard_ != nullptr) guard_->check();
}

std::size_t MappedFile::next_stored(std::size_t offset) const {
  return file_ < 0 ? offset : system::next_stored(file_, offset, size_);
}

MappedFile::~MappedFile() {
  guard_.reset();
  if (data_ != nullptr && read_.empty()) system::unmap_file(data_, size_);
}

std::string describe_bytes(std::span<const std::byte> head) {
  const std::string_view text = as_text(head.first(std::min<std::size_t>(head.size(), 512)));
  if (text.empty()) return "empty";
  if (text.starts_with("version https://git-lfs.github.com/spec/")) return "a Git LFS pointer (run git lfs pull)";
  if (text.starts_with(std::string_view("PK\x03\x04", 4)) || text.starts_with(std::string_view("PK\x05\x06", 4))) {
    return "a zip archive (a PyTorch .pt file or a NumPy .npz file?)";
  }
  if (text.starts_with("\x1f\x8b")) return "gzip-compressed (run gunzip)";
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return "a PNG picture";
  if (text.starts_with("\x93NUMPY")) return "a NumPy .npy array";
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return "an HDF5 file";
  if (text.starts_with("%PDF-")) return "a PDF document";
  if (text.starts_with("\xff\xd8\xff")) return "a JPEG picture";
  if (text.starts_with("GGUF")) return "a GGUF model";
  // Before all that is told by the first byte, which is the lowest of the header's length.
  if (text.size() > 8 && text[8] == '{' && text[7] == 0 && text[6] == 0) return "a safetensors file";
  if (is_utf16(text)) return "UTF-16 text (save it as UTF-8)";
  if (text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return "a Python pickle";
  const std::string_view visible = without_leading_blanks(text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text);
  if (begins_like_html(visible)) return "an HTML page";
  if (visible.starts_with('<')) return "an XML or HTML page";
  if (visible.starts_with('{') || visible.starts_with("[{") || visible.starts_with("[\"")) return "JSON text";
  if (text.find_first_not_of('\0') == std::string_view::npos) return "nothing but zero bytes (a download cut short?)";
  return "";
}

}  // namespace headscope
