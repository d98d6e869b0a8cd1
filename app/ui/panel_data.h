// What the panels show of a trace besides a tensor's own numbers: what is derived from them, with names, texts and
// pictures. Kept while the trace is shown.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/session/background/trace_numbers.h"
#include "app/session/view_state.h"
#include "app/ui/stage_facts.h"
#include "app/ui/ui.h"
#include "core/heads/pattern.h"

namespace headscope::ui {

class PanelData : public TraceNumbers {
 public:
  using TraceNumbers::TraceNumbers;

  // What is said of a head: "…" until it is known, nothing of a large head.
  const std::vector<LabelPiece>& summary_pieces(std::int64_t batch, std::int64_t head);
  const std::vector<std::string>& rows(StageId stage);
  const std::vector<std::string>& columns(StageId stage);
  // The range of the colours of one slice under this view (fixed, per row, per head, or one for the whole stage). See
  // color_range().
  ValueRange range(const ViewState& view, StageId stage, std::int64_t batch, std::int64_t slice);
  // Whether these colours cannot tell 99 of 100 visible numbers of the stage apart. False until it is known.
  bool crowded(const ViewState& view, StageId stage, std::int64_t batch, std::int64_t slice);
  // A named picture for TextureStore::image; `version` identifies the data that its pixels were made from.
  struct Picture {
    std::uint64_t version = 0;
    Image pixels;
  };
  Picture& picture(const std::string& name) { return pictures_[name]; }

 private:
  std::map<std::array<std::int64_t, 2>, std::vector<LabelPiece>> summary_pieces_;  // batch, head
  std::map<StageId, std::vector<std::string>> rows_, columns_;
  std::map<std::string, Picture> pictures_;
};

// The data of the shown trace: kept in the UiState, made anew for another trace. Null while there is no trace.
PanelData* panel_data(Ui& ui);

// Asks for another frame when the data postponed work in this one. The last panel of a frame calls it.
void ask_for_rest(Ui& ui);

}  // namespace headscope::ui
