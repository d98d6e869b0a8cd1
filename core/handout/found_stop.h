// A stop looked up in a result: the layer, the map and the cell that it names. Internal to core/handout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/handout/handout.h"
#include "core/picture/figure/figure_stage.h"

namespace headscope {

// A row of a map; `hidden` holds 1 for cells that the mask hides.
struct MapRow {
  std::vector<float> values;
  std::vector<std::uint8_t> hidden;

  // The columns of visible numbers, the largest first and of equal ones the first; NaN is none.
  std::vector<std::int64_t> by_size() const;
};

// A row and a column of a map. A column of -1: the row alone, none of whose cells is a visible number.
struct PickedCell {
  std::int64_t row = 0, column = -1;
};

class FoundStop {
 public:
  // `run` and `stop` must outlive this. UsageError where the result lacks the layer, stage, batch item, head or cell,
  // and where the stage is no map of queries and keys; Cancelled where values are computed when read.
  FoundStop(const Trace& run, const HandoutStop& stop, const CancelToken& cancel = {});
  FoundStop(const FoundStop&) = delete;
  FoundStop& operator=(const FoundStop&) = delete;

  const HandoutStop& stop() const { return stop_; }
  // The layer, with its weights as the request shows them.
  const Trace& layer() const { return shown_ ? *shown_ : computed_; }
  bool of_model() const { return of_model_; }
  const ViewSpec& view() const { return view_; }
  const StagePicture& picture() const { return picture_; }
  // In rows and columns of the map as it is shown.
  const std::optional<PickedCell>& cell() const { return cell_; }
  MapRow row(std::int64_t row) const;

 private:
  std::optional<PickedCell> found_cell() const;

  const HandoutStop& stop_;
  const Trace& computed_;
  const bool of_model_;
  const ViewSpec view_;
  std::optional<Trace> shown_;
  StagePicture picture_;
  std::shared_ptr<const Mask> mask_;
  std::optional<PickedCell> cell_;
};

// Calls `use` with every stop, found, in order. Error "stop 3: ..." in place of what FoundStop and `use` throw as
// UsageError.
void for_each_stop(const Trace& run, const Handout& handout, const CancelToken& cancel,
                   const std::function<void(const FoundStop& stop, std::size_t k)>& use);

}  // namespace headscope
