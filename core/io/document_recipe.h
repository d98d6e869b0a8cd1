// Documents that are text and carry a recipe: one row each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

struct DocumentFormat {
  const char* name;                  // "SVG drawing"
  bool (*begins)(std::string_view);  // whether the bytes begin as such a file does
  // The JSON inside; nullopt when there is none. Error where the document is damaged.
  std::optional<std::string> (*recipe)(std::string_view bytes, const std::string& what);
};

// SVG, PDF or HTML; null for other bytes.
const DocumentFormat* document_format_of(std::string_view bytes);

}  // namespace headscope
