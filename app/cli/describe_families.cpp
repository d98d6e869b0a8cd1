// The families of models that open, as `info --families` lists them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/model/family.h"

namespace headscope::cli {

Description describe_families() {
  struct Row {
    std::string family;
    std::vector<std::string_view> types, marks;
  };
  std::vector<Row> rows;
  for (const FamilyType& type : family_types()) {
    const std::string& family = type.family->fixed.family;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.family == family; });
    if (same != rows.end()) {
      same->types.push_back(type.model_type);
    } else {
      rows.push_back({family, {type.model_type}, type.family->marks});
    }
  }
  Description description;
  description.json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> table = {{"family", "model_type", "or a config.json with"}};
  for (const Row& row : rows) {
    description.json.push_back({{"family", row.family}, {"model_types", row.types}, {"keys", row.marks}});
    table.push_back(
        {row.family, fmt::format("{}", fmt::join(row.types, ", ")), fmt::format("{}", fmt::join(row.marks, ", "))});
  }
  description.text = table_text({{}, {}, {}}, table);
  return description;
}

}  // namespace headscope::cli
