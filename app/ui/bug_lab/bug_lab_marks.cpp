// What differs, marked in the pictures: frames around the cells, and along the sides the rows and columns that hold
// one.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/shown_mask.h"
#include "core/attention/stage_layout.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostLines = 4096;
constexpr float kSmallestFramed = 5;  // units of a cell's side
constexpr float kGap = 2, kBar = 4;

bool hides_a_wrong_cell(const LabMarks& marks, const Mask* mask) {
  if (mask == nullptr) return false;
  const auto rows = static_cast<std::int64_t>(marks.wrong.rows.size());
  const auto columns = static_cast<std::int64_t>(marks.wrong.columns.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    if (marks.wrong.rows[static_cast<std::size_t>(i)] == 0) continue;
    for (std::int64_t j = 0; j < columns; ++j) {
      if (marks.wrong.at(i, j) && mask->hidden.hidden(marks.batch, marks.head, i, j)) return true;
    }
  }
  return false;
}

// The largest finite difference of the shown matrix, where that of the stage is not finite.
double largest_of(const Tensor& difference, const MatrixLayout& layout, const LabMarks& marks) {
  const Shape& shape = difference.shape();
  double largest = 0;
  for (std::int64_t i = 0; i < shape[layout.rows]; ++i) {
    for (const float value :
         matrix_of(difference, layout, marks.batch, marks.head, {i, i + 1}, {0, shape[layout.columns]}).values()) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  return largest;
}

}  // namespace

const LabMarks& lab_marks(Ui& ui, std::int64_t batch, std::int64_t head) {
  TheirsView& theirs = bug_lab_data(ui).theirs;
  LabMarks& marks = theirs.marks;
  const TensorComparison& found = *theirs.seen;
  if (marks.of == &found && marks.stage == theirs.stage && marks.batch == batch && marks.head == head) return marks;
  std::size_t at = 0;
  while (found.diagnosis.stages[at].stage != theirs.stage) ++at;
  const StageComparison& stage = found.diagnosis.stages[at];
  const StageSides& sides = found.sides[at];
  marks = {&found, theirs.stage, batch, head, {}, {}, {}, false, 0};
  marks.wrong = wrong_cells(*found.trace, stage, sides, batch, head);
  marks.level = borders_of(marks.wrong, true, kMostLines);
  marks.upright = borders_of(marks.wrong, false, kMostLines);
  if (marks.level.size() + marks.upright.size() > kMostLines) {
    marks.level.clear();
    marks.upright.clear();
  }
  marks.hides = hides_a_wrong_cell(marks, shown_mask(*found.trace, theirs.stage).get());
  marks.largest = std::isfinite(stage.max_difference) ? stage.max_difference
                                                      : largest_of(sides.difference, stage_layout(theirs.stage), marks);
  return marks;
}

void draw_lab_marks(Ui& ui, const LabMarks& marks, const Rect& picture) {
  if (marks.wrong.count == 0) return;
  const float across = picture.width() / static_cast<float>(marks.wrong.columns.size());
  const float down = picture.height() / static_cast<float>(marks.wrong.rows.size());
  const auto place = [](float from, float step, std::int64_t cell) {
    return std::round(from + step * static_cast<float>(cell));
  };
  const Rgba color = ui.colors.bad;
  const float gap = ui.px(kGap), bar = ui.px(kBar);
  for (const CellStretch& each : stretches_of(marks.wrong.rows)) {
    const float top = place(picture.min.y, down, each.begin), bottom = place(picture.min.y, down, each.end);
    fill({{picture.max.x + gap, top}, {picture.max.x + gap + bar, std::max(top + 1, bottom)}}, color);
  }
  for (const CellStretch& each : stretches_of(marks.wrong.columns)) {
    const float left = place(picture.min.x, across, each.begin), right = place(picture.min.x, across, each.end);
    fill({{left, picture.max.y + gap}, {std::max(left + 1, right), picture.max.y + gap + bar}}, color);
  }
  if (std::min(across, down) < ui.px(kSmallestFramed)) return;
  const float line = std::max(1.0f, ui.px(std::min(across, down) >= ui.px(12) ? 2 : 1)), before = std::floor(line / 2);
  for (const CellStretch& each : marks.level) {
    const float y = place(picture.min.y, down, each.line) - before;
    fill({{place(picture.min.x, across, each.begin) - before, y},
          {place(picture.min.x, across, each.end) - before + line, y + line}},
         color);
  }
  for (const CellStretch& each : marks.upright) {
    const float x = place(picture.min.x, across, each.line) - before;
    fill({{x, place(picture.min.y, down, each.begin) - before},
          {x + line, place(picture.min.y, down, each.end) - before + line}},
         color);
  }
}

}  // namespace headscope::ui
