#include "core/picture/text/built_in_font.h"

#if defined(HEADSCOPE_BUILT_IN_FONT_FILE)

#include <cstddef>
#include <span>

#include "core/base/system/files.h"

// clang-format off
// The assembler puts the bytes of the file into the program.
__asm__(
#ifdef __wasm__  // where every symbol has a kind and a size
    ".section .rodata.headscope_font,\"\",@\n"
    ".type headscope_built_in_font,@object\n"
    ".type headscope_built_in_font_end,@object\n"
#elif defined(__ELF__)
    ".pushsection .rodata\n"
#else  // COFF has no stack of sections: the compiler begins with code
    ".section .rdata,\"dr\"\n"
#endif
    ".globl headscope_built_in_font\n"
    ".globl headscope_built_in_font_end\n"
    "headscope_built_in_font:\n"
    ".incbin \"" HEADSCOPE_BUILT_IN_FONT_FILE "\"\n"
    "headscope_built_in_font_end:\n"
    ".byte 0\n"
#ifdef __wasm__
    ".size headscope_built_in_font, headscope_built_in_font_end - headscope_built_in_font\n"
    ".size headscope_built_in_font_end, 1\n"
#elif defined(__ELF__)
    ".popsection\n"
#else
    ".text\n"
#endif
);
// clang-format on

extern "C" {
extern const char headscope_built_in_font[];
extern const char headscope_built_in_font_end[];
}

namespace headscope {

const std::string& built_in_font_path() {
  // FreeType, HarfBuzz and the window's atlas open fonts by path.
  static const std::string path = system::path_of_bytes(
      "headscope-font", std::span(headscope_built_in_font,
                                  static_cast<std::size_t>(headscope_built_in_font_end - headscope_built_in_font)));
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
