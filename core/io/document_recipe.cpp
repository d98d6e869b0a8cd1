#include "core/io/document_recipe.h"

#include <array>

#include "core/io/page_recipe.h"
#include "core/io/pdf.h"
#include "core/io/svg.h"

namespace headscope {

const DocumentFormat* document_format_of(std::string_view bytes) {
  static constexpr std::array<DocumentFormat, 3> formats = {
      {{"SVG drawing", is_svg, svg_recipe}, {"PDF drawing", is_pdf, pdf_recipe}, {"HTML page", is_page, page_recipe}}};
  for (const DocumentFormat& format : formats) {
    if (format.begins(bytes)) return &format;
  }
  return nullptr;
}

}  // namespace headscope
