// What views show besides a tensor's own numbers: slices, statistics, histograms, colour ranges, summaries of heads,
// arcs. Derived once from a trace and kept while it is shown, so that no frame reads a whole tensor again. One
// interface over small matrices, whose numbers are computed at the first call within the budget of a frame, and large
// ones, whose numbers and pictures come from SliceNumbers and MapTiles.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/session/background/background.h"
#include "app/session/background/maps/map_picture.h"
#include "app/session/background/maps/slice_numbers.h"
#include "app/session/background/trace_strip.h"
#include "core/attention/trace.h"
#include "core/explain/neurons.h"
#include "core/heads/arcs.h"
#include "core/heads/head_habit.h"
#include "core/heads/pattern.h"
#include "core/picture/heatmap.h"
#include "core/tensor/statistics.h"
#include "core/tensor/value_spread.h"

namespace headscope {

// Whether a matrix is too large to be read within a frame; `cheap`: its numbers are in memory.
bool is_too_large(std::int64_t rows, std::int64_t columns, bool cheap);

class TraceNumbers {
 public:
  // `version` differs from that of every other trace's numbers. `background` gives the pictures and numbers of matrices
  // that are too large to be read within a frame; null: these are not available.
  TraceNumbers(std::shared_ptr<const Trace> trace, std::uint64_t version, Background* background = nullptr);

  // Takes `trace` for its own where that shows the same layer of the same run, which has computed more of the model
  // meanwhile: all numbers stay. False: it is another one.
  bool follow(const std::shared_ptr<const Trace>& trace);

  const Trace& trace() const { return *trace_; }
  const std::shared_ptr<const Trace>& shared_trace() const { return trace_; }

  // Whether a slice of the stage is too large for a frame: it is then drawn from tiles (map_view.h), and numbers of all
  // of it are computed in the background. A smaller slice that is computed when read is stored when first used.
  bool is_large(StageId stage);
  MapKey map_key(StageId stage, std::int64_t batch, std::int64_t slice) const;
  PyramidSource map_source(StageId stage, std::int64_t batch, std::int64_t slice);

  // Each is computed at the first call and kept.
  const Tensor& matrix(StageId stage, std::int64_t batch, std::int64_t slice);
  // Of the whole stage; null while they are still being computed, slice by slice and frame by frame.
  const Statistics* statistics(StageId stage);
  // Null when the slice is large and its numbers are not known.
  const Statistics* statistics(StageId stage, std::int64_t batch, std::int64_t slice);
  const Histogram* histogram(StageId stage, std::int64_t batch, std::int64_t slice);
  // The state of the numbers of a large slice; a request for them (for weights with the pattern of the head); and its
  // cancellation.
  SliceNumbers::Numbers large_numbers(StageId stage, std::int64_t batch, std::int64_t slice) const;
  void ask_for_numbers(StageId stage, std::int64_t batch, std::int64_t slice);
  void stop_numbers(StageId stage, std::int64_t batch, std::int64_t slice);
  // Null when this frame has read enough numbers (a later frame computes it), and for a large head until
  // ask_for_numbers().
  const HeadSummary* summary(std::int64_t batch, std::int64_t head);
  // Says in a word what the head mostly does; null where there is no summary.
  const HeadHabit* habit(std::int64_t batch, std::int64_t head);
  const Strip& strip(StageId stage, std::int64_t batch);
  // The mask of the stage as pictures draw it; null: nothing is hidden. See shown_mask().
  const std::shared_ptr<const Mask>& mask(StageId stage);
  // The range of the colours of one slice that its numbers ask for: of the slice alone, or one for the whole stage. For
  // a large stage: the range of its pictures so far, which are pooled in this way.
  struct RangeOf {
    bool slice_alone = false;
    Pooling pooling = Pooling::max;
  };
  ValueRange color_range(StageId stage, std::int64_t batch, std::int64_t slice, const RangeOf& of);
  // How the finite visible numbers of all slices of a stage spread; of a large stage: the pixels of its pictures. Null
  // while they are still being read, slice by slice and frame by frame, or while pictures are coarse. `sampled`: of
  // pictures on a device a few rows, for what is only offered.
  const ValueSpread* spread(StageId stage, std::int64_t batch, bool sampled = false);
  // The scale of each row, for the text colour of numbers with a range per row.
  const std::vector<ValueScale>& row_scale(StageId stage, std::int64_t batch, std::int64_t slice, ColorMap map,
                                           bool log_scale);
  // The range of all numbers of a tensor of the weights file; symmetric around zero.
  const ValueRange& file_range(const std::string& name, const Tensor& tensor);
  // For the views arcs and neurons; the last few are kept.
  const Arcs& arcs(const ArcRequest& request);
  const Neurons& neurons(std::int64_t batch, std::int64_t head, std::int64_t query);
  // Begins a frame, which may read this many numbers before it postpones work; the first piece of work is always done.
  void begin_frame(std::int64_t most_numbers);
  bool unfinished() const { return unfinished_; }     // work was postponed: draw another frame
  std::uint64_t version() const { return version_; }  // differs from that of every other trace's data

 private:
  bool afford(std::int64_t numbers);
  bool add_pictures(SpreadCounts& counts, StageId stage, std::int64_t batch, bool sampled);
  const SliceNumbers::Numbers* known_numbers(StageId stage, std::int64_t batch, std::int64_t slice);
  ValueRange seen_range(StageId stage, std::int64_t batch, std::int64_t slice, const RangeOf& of);
  std::int64_t budget_ = std::int64_t{1} << 60, spent_ = 0;
  bool unfinished_ = false;
  using Slice = std::array<std::int64_t, 4>;  // stage, batch, slice, variant
  std::shared_ptr<const Trace> trace_;
  std::uint64_t version_ = 0;
  MapTiles* maps_ = nullptr;
  SliceNumbers* numbers_ = nullptr;
  std::map<Slice, SliceNumbers::Numbers> large_numbers_;  // those that are computed
  std::map<StageId, bool> is_large_;
  std::map<Slice, Tensor> matrices_;
  std::map<Slice, std::shared_ptr<const DevicePyramid>> devices_;
  std::map<Slice, Statistics> statistics_;
  std::map<Slice, Histogram> histograms_;
  std::map<Slice, HeadSummary> summaries_;
  std::map<Slice, HeadHabit> habits_;  // of the same heads
  std::map<Slice, Strip> strips_;
  std::map<StageId, std::shared_ptr<const Mask>> masks_;
  std::map<Slice, ValueRange> ranges_;
  // Counts of the slices that were read so far, until all are.
  struct PartSpread {
    SpreadCounts counts;
    std::int64_t slices = 0;
  };
  std::map<Slice, PartSpread> part_spreads_;
  std::map<Slice, ValueSpread> spreads_;
  std::map<Slice, std::vector<ValueScale>> row_scales_;
  std::map<std::string, ValueRange> file_ranges_;
  std::list<std::pair<ArcRequest, Arcs>> links_;                        // most recently used first
  std::list<std::pair<std::array<std::int64_t, 3>, Neurons>> neurons_;  // likewise
};

}  // namespace headscope
