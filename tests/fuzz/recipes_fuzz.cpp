// The recipe inside of an SVG or a PDF: any file has one, none, or is refused; any JSON that is put into one is what is
// read from it.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/io/json_text.h"
#include "core/io/page_recipe.h"
#include "core/io/pdf.h"
#include "core/io/svg.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

// The smallest that pdf_with_recipe() takes.
constexpr const char* kPdf =
    "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 2\n0000000000 65535 f \n0000000009 00000 n \n"
    "trailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n45\n%%EOF\n";

bool is_json(std::string_view text) {
  try {
    parse_strict_json(text, "f");
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Escapes may be spelled in another way.
bool same_json(const std::string& a, const std::string& b) {
  return a == b || json_dump(nlohmann::ordered_json::parse(a)) == json_dump(nlohmann::ordered_json::parse(b));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::as_text(data, size);
  for (const auto read : {svg_recipe, pdf_recipe, page_recipe}) {
    try {
      const std::optional<std::string> recipe = read(bytes, "f");
      fuzz::require(!recipe || recipe->size() <= size, "a recipe is a part of the file");
    } catch (const Error&) {
    }
  }
  is_svg(bytes);
  html_text(bytes);
  xml_text(bytes);
  if (!is_json(bytes)) return 0;
  const std::string json(bytes);
  const auto in_svg = svg_recipe("<svg>" + svg_metadata(json) + "</svg>", "f");
  fuzz::require(in_svg && same_json(*in_svg, json), "an SVG gives back its recipe");
  const auto in_page = page_recipe(std::string(kPageStart) + page_json("headscope", json) + std::string(kPageEnd), "f");
  fuzz::require(in_page && same_json(*in_page, json), "a page gives back its recipe");
  fuzz::require(pdf_recipe(pdf_with_recipe(kPdf, json), "f") == json, "a PDF gives back its recipe");
  return 0;
}
