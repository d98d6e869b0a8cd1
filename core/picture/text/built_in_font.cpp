#include "core/picture/text/built_in_font.h"

#include <fmt/format.h>

#include <cstddef>

#if defined(__linux__) && defined(HEADSCOPE_BUILT_IN_FONT_FILE)

#include <sys/mman.h>
#include <unistd.h>

// The assembler puts the bytes of the file into the program.
__asm__(
    ".pushsection .rodata\n"
    ".globl headscope_built_in_font\n"
    ".globl headscope_built_in_font_end\n"
    "headscope_built_in_font:\n"
    ".incbin \"" HEADSCOPE_BUILT_IN_FONT_FILE
    "\"\n"
    "headscope_built_in_font_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char headscope_built_in_font[];
extern const char headscope_built_in_font_end[];
}

namespace headscope {

namespace {

// A file of memory: FreeType, HarfBuzz and the window's atlas open fonts by path. It stays open while the program runs.
std::string memory_file() {
  const int file = ::memfd_create("headscope-font", MFD_CLOEXEC);
  if (file < 0) return "";
  const char* at = headscope_built_in_font;
  while (at != headscope_built_in_font_end) {
    const ssize_t written = ::write(file, at, static_cast<std::size_t>(headscope_built_in_font_end - at));
    if (written <= 0) {
      ::close(file);
      return "";
    }
    at += written;
  }
  return fmt::format("/proc/self/fd/{}", file);
}

}  // namespace

const std::string& built_in_font_path() {
  static const std::string path = memory_file();
  return path;
}

}  // namespace headscope

#else

namespace headscope {

const std::string& built_in_font_path() {
  static const std::string none;
  return none;
}

}  // namespace headscope

#endif
