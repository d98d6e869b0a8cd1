// The recipe inside pages of HTML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

// JSON with < > & as \u escapes: nothing in a string ends the element that it stands in, and it reads back unchanged.
std::string page_text(std::string_view json);

// <script type="application/json" id="ID">JSON</script>. `id` is plain ASCII.
std::string page_json(std::string_view id, const std::string& json);

// UTF-8 as text of a page: & < > " as entities, what is no UTF-8 as U+FFFD, control characters as blanks.
std::string html_text(std::string_view utf8);

// Whether the bytes begin as a page that Headscope wrote does.
bool is_page(std::string_view bytes);

// The JSON of page_json("headscope", ...) in a page; nullopt when there is none. Error for a page that does not end;
// `what` names the file.
std::optional<std::string> page_recipe(std::string_view bytes, const std::string& what);

// How a page that Headscope wrote begins and ends.
inline constexpr std::string_view kPageStart = "<!DOCTYPE html>\n<!-- A page of Headscope -->\n";
inline constexpr std::string_view kPageEnd = "</html>\n";

}  // namespace headscope
