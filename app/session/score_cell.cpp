#include "app/session/score_cell.h"

#include <algorithm>

#include "core/heads/arcs.h"

namespace headscope {

Cell score_cell(const Trace& trace, const ViewState& view) {
  const std::int64_t head = std::clamp<std::int64_t>(view.head, 0, trace.num_heads() - 1);
  const bool picked = view.cell && is_score_like(view.stage);
  Cell cell = picked ? *view.cell : Cell{trace.query_len() - 1, -1};
  if (cell.row < 0 || cell.row >= trace.query_len()) cell.row = trace.query_len() - 1;
  if (!picked || cell.column < 0 || cell.column >= trace.key_len()) {
    cell.column = strongest_key(trace, 0, head, cell.row);
  }
  return cell;
}

}  // namespace headscope
