// The recipe inside PDF files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

// The same document with `json` inside: an incremental update (PDF 1.4, section 3.4.5) with a stream that the catalog
// names as the private data of Headscope (/PieceInfo). `pdf` has a plain cross-reference table and a catalog of its own
// object, as Cairo writes them up to PDF 1.4 (asserted).
std::string pdf_with_recipe(std::string pdf, const std::string& json);

// Whether the bytes begin as a PDF file does.
bool is_pdf(std::string_view bytes);

// The JSON that pdf_with_recipe has put into a file, the last one; nullopt when there is none. Error for a stream that
// is cut short; `what` names the file.
std::optional<std::string> pdf_recipe(std::string_view bytes, const std::string& what);

}  // namespace headscope
