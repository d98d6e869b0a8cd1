#include "core/diagnose/layout_readings.h"

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "core/diagnose/fused_readings.h"
#include "core/diagnose/packed_readings.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// Collects the readings that the sizes allow.
class Readings {
 public:
  Readings(const Tensor& theirs, const Tensor& own, std::string_view layout)
      : theirs_(theirs), own_(own), layout_(layout) {}

  // `shape` reshapes theirs, then its axes are permuted into the stage's own order.
  void add(const char* as, const char* layout, Shape found, const Shape& shape, std::initializer_list<int> order) {
    if (!layout_.empty() && layout_ != layout) return;
    Shape without_batch;
    for (int axis = 1; axis < found.count; ++axis) without_batch.push_back(found[axis]);
    const bool one_item = found.count > 0 && found[0] == 1 && theirs_.shape() == without_batch;
    if (!(theirs_.shape() == found) && !one_item) return;
    Axes axes = own_.axes();
    axes.count = shape.count;
    Tensor tensor = theirs_.dense_copy().reshaped(shape, axes).permuted(order).dense_copy();
    tensor = tensor.reshaped(own_.shape(), own_.axes());
    readings_.push_back({as, std::move(tensor), false});
  }
  void add_mean(const char* as, Shape found) {
    if (!layout_.empty()) return;
    const Shape& own = own_.shape();
    if (!(theirs_.shape() == found) && !(own[0] == 1 && theirs_.shape() == Shape{own[2], own[3]})) return;
    readings_.push_back({as, theirs_.dense_copy().reshaped({own[0], 1, own[2], own[3]}, own_.axes()), true});
  }
  std::vector<LayoutReading> taken() { return std::move(readings_); }

 private:
  const Tensor& theirs_;
  const Tensor& own_;
  std::string_view layout_;
  std::vector<LayoutReading> readings_;
};

// The number of layers of the model that ours is of.
std::int64_t layers_of(const Trace& ours) {
  const auto& checkpoint = ours.inputs->checkpoint;
  return checkpoint == nullptr ? 1 : checkpoint->architecture().num_layers;
}

// Takes ours from a stage of all layers, [layers, batch, ...] or [batch, layers, ...]; where batch is 1 it may be
// missing.
std::vector<LayoutReading> readings_of_layers(const Trace& ours, StageId stage, const Tensor& found,
                                              std::string_view layout) {
  const Tensor& own = ours.tensor(stage);
  const std::int64_t layers = layers_of(ours), layer = ours.inputs->layer;
  Tensor theirs = found;
  if (found.rank() == own.rank() && own.dim(0) == 1 && layers > 1 && found.rank() < kMaxRank) {
    Shape shape{found.dim(0), 1};
    Axes axes{Axis::feature, Axis::feature};
    for (int axis = 1; axis < found.rank(); ++axis) {
      shape.push_back(found.dim(axis));
      axes.push_back(Axis::feature);
    }
    theirs = found.dense_copy().reshaped(shape, axes);
  }
  std::vector<LayoutReading> readings;
  if (theirs.rank() != own.rank() + 1) return readings;
  for (const int axis : {0, 1}) {
    if (theirs.dim(axis) != layers) continue;
    const Tensor one = theirs.sliced(axis, layer, layer + 1).dense_copy();
    Shape shape;
    Axes axes;
    for (int each = 0; each < one.rank(); ++each) {
      if (each == axis) continue;
      shape.push_back(one.dim(each));
      axes.push_back(one.axes()[each]);
    }
    const std::string all =
        fmt::format("layer {} of {}", layer, axis == 0 ? "[layers, batch, ...]" : "[batch, layers, ...]");
    for (LayoutReading& each : layout_readings(ours, stage, one.reshaped(shape, axes), layout)) {
      each.as = each.as.empty() ? all : all + ", " + each.as;
      readings.push_back(std::move(each));
    }
  }
  return readings;
}

void add_heads(Readings& readings, const Shape& own) {
  const std::int64_t batch = own[0], heads = own[1], len = own[2], features = own[3];
  readings.add("", "bhsd", own, own, {0, 1, 2, 3});
  readings.add("[batch, len, heads, features]", "bshd", {batch, len, heads, features}, {batch, len, heads, features},
               {0, 2, 1, 3});
  if (batch > 1) {
    readings.add("[len, batch, heads, features]", "sbhd", {len, batch, heads, features}, {len, batch, heads, features},
                 {1, 2, 0, 3});
    readings.add("[batch * heads, len, features]", "", {batch * heads, len, features}, own, {0, 1, 2, 3});
  }
  readings.add("[batch, len, heads * features]", "", {batch, len, heads * features}, {batch, len, heads, features},
               {0, 2, 1, 3});
}

void add_scores(Readings& readings, const Shape& own) {
  const std::int64_t batch = own[0], heads = own[1], queries = own[2], keys = own[3];
  readings.add("", "bhsd", own, own, {0, 1, 2, 3});
  if (batch > 1) readings.add("[batch * heads, queries, keys]", "", {batch * heads, queries, keys}, own, {0, 1, 2, 3});
  if (heads > 1) readings.add_mean("the mean over heads, [batch, queries, keys]", {batch, queries, keys});
  readings.add("[batch, queries, heads, keys]", "bshd", {batch, queries, heads, keys}, {batch, queries, heads, keys},
               {0, 2, 1, 3});
  // Where there are as many, exchanged axes are a mistake (scores-transposed) and no layout.
  if (queries == keys) return;
  readings.add("[batch, heads, keys, queries]", "", {batch, heads, keys, queries}, {batch, heads, keys, queries},
               {0, 1, 3, 2});
}

void add_rows(Readings& readings, const Shape& own, std::int64_t heads) {
  const std::int64_t batch = own[0], len = own[1], features = own[2];
  readings.add("", "bhsd", own, own, {0, 1, 2});
  if (batch > 1) readings.add("[batch * len, features]", "", {batch * len, features}, own, {0, 1, 2});
  if (heads > 0 && features % heads == 0) {
    readings.add("[batch, len, heads, features]", "bshd", {batch, len, heads, features / heads}, own, {0, 1, 2});
  }
}

}  // namespace

std::vector<LayoutReading> layout_readings(const Trace& ours, StageId stage, const Tensor& theirs,
                                           std::string_view layout) {
  const Tensor& own = ours.tensor(stage);
  std::vector<LayoutReading> packed;
  for (PackedReading& each : packed_readings(ours, stage, theirs)) {
    packed.push_back({std::move(each.as), std::move(each.tensor), false});
  }
  if (!packed.empty()) return packed;
  // Scores have no axis of features that heads could stand before, and rows have one order alone.
  const bool of_heads = own.rank() == 4 && !is_score_like(stage);
  Readings readings(theirs, own, of_heads ? layout : "");
  if (own.rank() == 4 && is_score_like(stage)) {
    add_scores(readings, own.shape());
  } else if (own.rank() == 4) {
    add_heads(readings, own.shape());
  } else if (own.rank() == 3) {
    add_rows(readings, own.shape(), ours.num_heads());
  } else {
    readings.add("", "bhsd", own.shape(), own.shape(), {0, 1});
  }
  std::vector<LayoutReading> all = readings.taken();
  if (stage == StageId::qkv && !all.empty()) {
    for (FusedReading& each : fused_readings(ours, all.front().tensor)) {
      all.push_back({std::move(each.as), std::move(each.tensor), false});
    }
  }
  for (LayoutReading& each : readings_of_layers(ours, stage, theirs, layout)) all.push_back(std::move(each));
  return all;
}

}  // namespace headscope
