#include "app/ui/script/line_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_layout.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

// What stands between two texts of a line; "" where one of them is missing.
std::string between(std::string_view line, std::string_view before, std::string_view behind) {
  const std::size_t begin = line.find(before);
  if (begin == line.npos) return "";
  const std::size_t end = line.find(behind, begin + before.size());
  if (end == line.npos) return "";
  return std::string(line.substr(begin + before.size(), end - begin - before.size()));
}

}  // namespace

std::optional<StageId> stage_of_line(std::string_view line, ScriptLanguage language) {
  std::string name;
  if (language != ScriptLanguage::latex) {
    name = between(line, " = stage(\"", "\"");
  } else if (line.find("&\\in \\mathbb{R}") != line.npos) {
    name = between(line, "\\mathit{", "}");
    std::erase(name, '\\');
  }
  return name.empty() ? std::nullopt : stage_named(name);
}

LineValues line_values(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t head, std::int64_t row) {
  constexpr std::int64_t kMost = 3;
  LineValues result;
  result.stage = stage;
  const Stage* found = trace.find(stage);
  if (found == nullptr) return result;
  result.shape = to_string(found->tensor.shape());
  const std::int64_t slice = slice_of_head(trace, stage, head);
  const std::vector<std::string> rows = row_names_of(trace, stage);
  const std::int64_t at = row >= 0 && row < std::ssize(rows) ? row : 0;
  const Tensor& tensor = found->tensor;
  const std::int64_t columns = tensor.dim(tensor.rank() - 1);
  if (rows.empty() || columns == 0) return result;
  const Tensor part =
      slice_of(stage, tensor, std::min(batch, tensor.dim(0) - 1), slice, {at, at + 1}, {0, std::min(kMost, columns)});
  for (const float value : part.values()) {
    result.values += (result.values.empty() ? "" : "  ") + number_label(static_cast<double>(value), 4, true);
  }
  if (columns > kMost) result.values += "  …";
  result.row = rows[static_cast<std::size_t>(at)];
  if (slice_count(trace, stage) > 1) result.row = fmt::format("head {}, {}", slice, result.row);
  return result;
}

}  // namespace headscope::ui
