// Numbers for the clipboard: tab-separated, as spreadsheets and notebooks take them.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/session/background/trace_strip.h"
#include "app/session/session.h"
#include "app/ui/map/cell_places.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "core/attention/stage_layout.h"
#include "core/heads/head_words.h"

namespace headscope::ui {

namespace {

constexpr std::int64_t kMostCells = std::int64_t{4} << 20;

std::string name_of(const std::vector<std::string>& labels, std::int64_t at) {
  return at >= 0 && at < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(at)]
                                                                  : std::to_string(at);
}

std::string copied_summary(const Trace& trace, const Selection& selection) {
  const HeadWords words = head_words(trace, selection.batch, selection.head);
  std::string text = words.head + '\n';
  for (const std::string& row : words.rows) text += row + '\n';
  return text;
}

}  // namespace

bool matrix_fits_clipboard(const Session& session) {
  const auto trace = session.trace();
  const Stage* stage = trace == nullptr ? nullptr : trace->find(session.view.stage);
  if (stage == nullptr || stage->tensor.rank() < 2) return false;
  const Shape& shape = stage->tensor.shape();
  return shape[shape.count - 2] * shape[shape.count - 1] <= kMostCells;
}

bool summary_fits_clipboard(const Session& session) {
  const auto trace = session.trace();
  return trace != nullptr && trace->find(StageId::weights) != nullptr &&
         trace->query_len() * trace->key_len() <= kMostCells;
}

std::string float_text(float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

std::string copied_text(const Session& session, CopyWhat what, const std::optional<CellPlace>& cell) {
  const auto trace = session.trace();
  if (trace == nullptr) return "";
  ViewState view = session.view;
  if (cell && is_inside(*trace, *cell)) show_place(view, *trace, *cell);
  const Stage* stage = trace->find(view.stage);
  if (stage == nullptr || stage->tensor.rank() < 2) return "";
  // The slice that the inspector shows.
  const Selection selection = selection_of(view, *trace);
  if (what == CopyWhat::summary) return summary_fits_clipboard(session) ? copied_summary(*trace, selection) : "";
  const Tensor matrix =
      slice_matrix(*trace, view.stage, selection.batch, slice_of_head(*trace, view.stage, selection.head));
  const std::int64_t rows = matrix.dim(0), columns = matrix.dim(1);
  if (rows * columns > kMostCells && what == CopyWhat::matrix) return "";
  const bool by_key = is_score_like(view.stage);
  const std::vector<std::string> row_names = row_tokens(*trace, view.stage);
  const std::vector<std::string> column_names = by_key ? trace->key_labels() : std::vector<std::string>();
  const auto number = [&](std::int64_t i, std::int64_t j) { return float_text(matrix.at({i, j})); };
  const bool picked = view.cell && view.cell->row >= 0 && view.cell->row < rows && view.cell->column >= 0 &&
                      view.cell->column < columns;
  if (what == CopyWhat::cell) return picked ? number(view.cell->row, view.cell->column) : "";
  const auto line = [&](std::int64_t i) {
    std::string text = name_of(row_names, i);
    for (std::int64_t j = 0; j < columns; ++j) text += '\t' + number(i, j);
    return text + '\n';
  };
  std::string head = by_key ? "query\\key" : "token\\feature";
  for (std::int64_t j = 0; j < columns; ++j) head += '\t' + name_of(column_names, j);
  std::string text = head + '\n';
  if (what == CopyWhat::row) return picked ? text + line(view.cell->row) : "";
  for (std::int64_t i = 0; i < rows; ++i) text += line(i);
  return text;
}

std::string text_at_cursor(Ui& ui, CopyWhat what) {
  const ExplainState& state = explain_state(ui);
  const bool by_mouse = state.by_mouse;
  const bool of_a_number = what != CopyWhat::summary;
  if (const auto& pointed = state.pointed; of_a_number && pointed && (by_mouse || pointed->by_key)) {
    return what == CopyWhat::cell ? pointed->cell : what == CopyWhat::row ? pointed->row() : pointed->matrix();
  }
  return copied_text(ui.session, what, by_mouse ? ui.state.hover.cell : std::nullopt);
}

}  // namespace headscope::ui
