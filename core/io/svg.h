// What SVG files need beside shapes: text that is valid XML, and the recipe inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

// UTF-8 as XML 1.0 character data, also within "..." : & < > " escaped. What XML cannot hold is replaced by what a
// reader sees in its place: a control by its picture (U+2400 ...), a noncharacter and an invalid byte by U+FFFD.
std::string xml_text(std::string_view utf8);

// <metadata id="headscope">: JSON, with what XML cannot hold as \u escapes, so that it reads back unchanged.
std::string svg_metadata(const std::string& json);

// Whether the bytes begin as an SVG file does: <svg, after an XML declaration, comments and a DOCTYPE.
bool is_svg(std::string_view bytes);

// The JSON that svg_metadata has put into a file; nullopt when there is none. Error for a drawing or metadata
// that does not end, and for an unknown entity; `what` names the file.
std::optional<std::string> svg_recipe(std::string_view bytes, const std::string& what);

}  // namespace headscope
