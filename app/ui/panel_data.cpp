#include "app/ui/panel_data.h"

#include <imgui.h>

#include <utility>

#include "app/session/session.h"
#include "app/ui/data_versions.h"
#include "app/ui/shown_name.h"
#include "core/attention/stage_layout.h"
#include "core/picture/fitted_range.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

// About ten milliseconds of walking over numbers.
constexpr std::int64_t kNumbersPerFrame = 3'000'000;

// The kept value under `key`, made by `make` when there is none.
template <typename Map, typename Key, typename Make>
typename Map::mapped_type& kept(Map& map, const Key& key, const Make& make) {
  const auto found = map.find(key);
  if (found != map.end()) return found->second;
  return map.emplace(key, make()).first->second;
}

}  // namespace

const std::vector<LabelPiece>& PanelData::summary_pieces(std::int64_t batch, std::int64_t head) {
  static const std::vector<LabelPiece> nothing, later = {{LabelPiece::Role::words, "…"}};
  const HeadSummary* found = summary(batch, head);
  if (found == nullptr) return is_large(StageId::weights) ? nothing : later;
  return kept(summary_pieces_, std::array{batch, head}, [&] {
    std::vector<LabelPiece> pieces = headscope::summary_pieces(*found, trace());
    for (LabelPiece& piece : pieces) piece.text = shown_name(piece.text);
    return pieces;
  });
}

const std::vector<std::string>& PanelData::rows(StageId stage) {
  // Stages share the names of their side.
  const StageId like = rows_are_keys(stage) ? StageId::key : StageId::query;
  return kept(rows_, like, [&] { return row_names(trace(), stage); });
}

const std::vector<std::string>& PanelData::columns(StageId stage) {
  const StageId like = is_score_like(stage) ? StageId::key : StageId::query;
  return kept(columns_, like, [&] { return column_names(trace(), stage); });
}

ValueRange PanelData::range(const ViewState& view, StageId stage, std::int64_t batch, std::int64_t slice) {
  const bool score_like = is_score_like(stage);
  const RangeOfStage* own = view.stage_range && view.stage_range->stage == stage ? &*view.stage_range : nullptr;
  const bool fits =
      score_like ? !view.range_fixed && view.range == RangeKind::fit : own != nullptr && own->range == RangeKind::fit;
  const ValueSpread* spread_known = fits ? spread(stage, batch) : nullptr;
  ValueRange result;
  if (score_like && view.range_fixed) {
    result.low = view.range_low;
    result.high = view.range_high;
  } else if (!score_like && own != nullptr && own->range == RangeKind::fixed) {
    result.low = own->low;
    result.high = own->high;
  } else if (spread_known != nullptr) {
    result = fitted_range(*spread_known, !is_weight_like(stage));
  } else {
    const bool slice_alone = score_like && view.range_per_head && view.range != RangeKind::row;
    result = color_range(stage, batch, slice, {.slice_alone = slice_alone, .pooling = view.pooling});
  }
  result.per_row = score_like && !view.range_fixed && view.range == RangeKind::row;
  result.log_scale = view.log_scale && is_weight_like(stage);
  return result;
}

bool PanelData::crowded(const ViewState& view, StageId stage, std::int64_t batch, std::int64_t slice) {
  ViewState linear = view;
  linear.log_scale = false;
  const ValueSpread* known = spread(stage, batch, true);
  return known != nullptr && is_crowded(*known, range(linear, stage, batch, slice));
}

PanelData* panel_data(Ui& ui) {
  std::shared_ptr<const Trace> trace = ui.session.trace();
  if (!trace) {
    ui.state.panel_data.reset();
    return nullptr;
  }
  if (!ui.state.panel_data || !ui.state.panel_data->follow(trace)) {
    std::uint64_t& made = ui.state.panels.get<DataVersions>().made;
    made += 1;
    ui.state.panel_data = std::make_shared<PanelData>(std::move(trace), made, &ui.session.background);
  }
  PanelData& data = *ui.state.panel_data;
  const int frame = ImGui::GetFrameCount();
  if (std::exchange(ui.state.panels.get<ReadingFrame>().number, frame) != frame) data.begin_frame(kNumbersPerFrame);
  return &data;
}

void ask_for_rest(Ui& ui) {
  if (ui.state.panel_data && ui.state.panel_data->unfinished()) ui.state.wants_frame = true;
}

}  // namespace headscope::ui
