# Writes one C++ file that holds the style and the script of exported pages: cmake -DOUT=... -DFOLDER=... -P assets/page/embed.cmake
file(READ "${FOLDER}/page.css" style)
file(READ "${FOLDER}/page.js" script)
set(body "// Made from assets/page/ by assets/page/embed.cmake.\n#include \"core/export/page_parts.h\"\n\nnamespace headscope {\n")
string(APPEND body "\nstd::string_view page_style() {\n  return R\"page(${style})page\";\n}\n")
string(APPEND body "\nstd::string_view page_script() {\n  return R\"page(${script})page\";\n}\n")
string(APPEND body "\n}  // namespace headscope\n")
file(WRITE "${OUT}" "${body}")
