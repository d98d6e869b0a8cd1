#include "app/gl/compute_pyramid.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/gl/compute_attention.h"
#include "app/gl/seen_keys.h"
#include "app/gl/shared_picture.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr std::int64_t kProductsOfPyramid = 40;  // what masking, exp and division cost, about
constexpr std::int64_t kMostPixels = 8192;       // what the textures of every card hold
// 11,585 tokens squared: a sample of the rows, in many small pieces, takes a card longer.
constexpr std::int64_t kCellsOfFirstLook = std::int64_t{1} << 27;

// Made and filled on the device's thread, let go by any.
class SharedPixels : public DevicePixels {
 public:
  SharedPixels(std::int64_t row_count, std::int64_t column_count, std::shared_ptr<TextureShare> share)
      : DevicePixels(row_count, column_count), share_(std::move(share)) {
    for (ComputeBuffer* buffer : {&values, &counts}) {
      buffer->reserve(rows * columns);
      buffer->clear(rows * columns);  // hidden
    }
  }
  ~SharedPixels() override {
    share_->give_back_buffer(values.release());
    share_->give_back_buffer(counts.release());
  }
  ComputeBuffer values, counts;

 private:
  const std::shared_ptr<TextureShare> share_;
};

// Which of these columns have something to show in these rows: outside of them everything is hidden and nothing NaN, so
// that the pixels are known without computing them. `statistics`: of rows from `first_row` on, null for scores, whose
// hidden cells hold what the mask puts there.
Range seen_columns(const PyramidSource& source, const Range& rows, const Range& columns,
                   const RowStatistics* statistics, std::int64_t first_row) {
  if (!source.mask || !source.mask->hidden.any()) return columns;
  Range seen{columns.end, columns.begin};
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const std::optional<VisibleKeys> keys = source.mask->hidden.visible_keys(source.batch, source.head, i);
    if (!keys) return columns;
    for (const Range& run : {keys->first, keys->second}) {
      const Range part{std::max(run.begin, columns.begin), std::min(run.end, columns.end)};
      if (part.size() <= 0) continue;
      seen = {std::min(seen.begin, part.begin), std::max(seen.end, part.end)};
    }
    if (statistics == nullptr) continue;
    const Index at{0, 0, i - first_row};
    if (!gives_weights(statistics->max.at(at), statistics->sum.at(at))) return columns;
  }
  return seen.size() > 0 ? seen : Range{columns.begin, columns.begin};
}

// Those of `changed`, which are in order, that lie in `rows`.
std::span<const ChangedRow> rows_within(const std::vector<ChangedRow>& changed, const Range& rows) {
  const auto before = [](const ChangedRow& row, std::int64_t at) { return row.row < at; };
  const auto first = std::lower_bound(changed.begin(), changed.end(), rows.begin, before);
  return {first, std::lower_bound(first, changed.end(), rows.end, before)};
}

// Writes the rows, which hold the cells of `columns`, over those of `region` in the buffer.
void write_changed(std::span<const ChangedRow> rows, const Region& region, const Range& columns, ComputeBuffer& to) {
  for (const ChangedRow& row : rows) {
    const std::span<const float> all = row.cells;
    to.write((row.row - region[2].begin) * region[3].size(),
             all.subspan(static_cast<std::size_t>(region[3].begin - columns.begin),
                         static_cast<std::size_t>(region[3].size())));
  }
}

bool any_nan(std::span<const ChangedRow> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const ChangedRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](float cell) { return std::isnan(cell); });
  });
}

// `pixels` [rows, columns] in pieces whose cells fit, about as high as wide: the shaders compute squares of cells.
template <typename Fits>
void add_pieces(const Region& pixels, const PixelCells& cells, const Fits& fits, std::vector<Region>& pieces) {
  if (fits(pixels)) {
    pieces.push_back(pixels);
    return;
  }
  const bool by_rows = pixels[0].size() > 1 &&
                       (pixels[1].size() < 2 || pixels[0].size() * cells.rows >= pixels[1].size() * cells.columns);
  const int axis = by_rows ? 0 : 1;
  if (pixels[axis].size() < 2) throw Error("A pixel of this picture is larger than a buffer of the device may be.");
  Region first = pixels, second = pixels;
  first[axis].end = second[axis].begin = pixels[axis].begin + pixels[axis].size() / 2;
  add_pieces(first, cells, fits, pieces);
  add_pieces(second, cells, fits, pieces);
}

class ComputePyramid : public DevicePyramid {
 public:
  ComputePyramid(RunOnDevice run, RunOnDevice run_if_there, PyramidDevice device, std::shared_ptr<TextureShare> share,
                 ScoreMatrix matrix)
      : run_(std::move(run)),
        run_if_there_(std::move(run_if_there)),
        device_(device),
        share_(std::move(share)),
        matrix_(std::move(matrix)) {}

  const void* device() const override { return device_.identity; }
  std::int64_t most_pixels() const override { return kMostPixels; }
  std::int64_t cells_at_once() const override { return device_.is_card ? kCellsOfFirstLook : 0; }

  std::shared_ptr<const DevicePixels> pool_cells(const PyramidSource& source, Range rows, Range columns,
                                                 PixelCells cells, Pooling pooling,
                                                 const CancelToken& cancel) const override {
    // Both may need the device: they are asked for before it is taken.
    std::optional<RowStatistics> statistics;
    if (is_weight_like(matrix_.stage)) statistics = matrix_.statistics(rows, cancel);
    std::vector<ChangedRow> changed;
    if (matrix_.changed_rows) changed = matrix_.changed_rows(rows, columns, cancel);
    std::shared_ptr<const DevicePixels> result;
    run_([&](ComputeDevice& device) {
      result = pooled(device,
                      {.source = source,
                       .rows = rows,
                       .columns = columns,
                       .cells = cells,
                       .pooling = pooling,
                       .statistics = statistics ? &*statistics : nullptr,
                       .changed = changed},
                      cancel);
    });
    return result;
  }

  std::shared_ptr<const DevicePicture> picture(const DevicePicturePlan& plan) const override {
    std::shared_ptr<const DevicePicture> result;
    run_([&](ComputeDevice& device) { result = put_together(device, plan); });
    return result;
  }

 private:
  // The cells that are pooled, as pool_cells() has them, and what is known of their rows.
  struct PooledCells {
    const PyramidSource& source;
    Range rows, columns;
    PixelCells cells;
    Pooling pooling;
    const RowStatistics* statistics;         // of the rows, for weights; null for scores
    const std::vector<ChangedRow>& changed;  // rows that hold other numbers than the formula gives, in order
  };

  std::shared_ptr<const DevicePixels> pooled(ComputeDevice& device, const PooledCells& of,
                                             const CancelToken& cancel) const {
    const PyramidSource& source = of.source;
    const Range rows = of.rows, columns = of.columns;
    const PixelCells cells = of.cells;
    share_->collect();
    const std::int64_t pixel_rows = parts_over(rows.size(), cells.rows),
                       pixel_columns = parts_over(columns.size(), cells.columns);
    auto result = std::make_shared<SharedPixels>(pixel_rows, pixel_columns, share_);
    const auto cells_of = [](const Range& pixels, std::int64_t each, const Range& all) {
      return Range{all.begin + pixels.begin * each, std::min(all.begin + pixels.end * each, all.end)};
    };
    const Range batch{matrix_.batch, matrix_.batch + 1}, head{matrix_.head, matrix_.head + 1};
    const auto region_of = [&](const Region& part) {
      return Region{batch, head, cells_of(part[0], cells.rows, rows), cells_of(part[1], cells.columns, columns)};
    };
    const std::int64_t head_dim = matrix_.query.dim(3);
    const auto fits = [&](const Region& part) {
      const Region region = region_of(part);
      if (region[2].size() > kMostGroups || !device.holds(element_count(region)) ||
          !device.holds(std::max(region[2].size(), region[3].size()) * head_dim)) {
        return false;
      }
      return element_count(part) == 1 || device.takes(element_count(region), head_dim + kProductsOfPyramid);
    };
    const bool hides = source.mask != nullptr && source.mask->hidden.any();
    std::vector<Region> pieces;
    add_pieces({{0, pixel_rows}, {0, pixel_columns}}, cells, fits, pieces);
    for (Region part : pieces) {
      cancel.check();
      Region region = region_of(part);
      const std::span<const ChangedRow> own = rows_within(of.changed, region[2]);
      const Range seen =
          any_nan(own) ? region[3] : seen_columns(source, region[2], region[3], of.statistics, rows.begin);
      if (seen.size() == 0) continue;
      part[1] = {(seen.begin - columns.begin) / cells.columns, parts_over(seen.end - columns.begin, cells.columns)};
      region = region_of(part);
      const Range here{region[2].begin - rows.begin, region[2].end - rows.begin};
      make_cells(device, {.query = matrix_.query, .key = matrix_.key, .rule = matrix_.rule},
                 {.stage = matrix_.stage, .region = region, .statistics = of.statistics}, {{0, 1}, {0, 1}, here},
                 cancel);
      ComputeBuffers& buffers = *device.buffers;
      write_changed(own, region, columns, buffers.result);
      if (hides) {
        const std::int64_t b = source.batch, h = source.head;
        buffers.mask.upload(source.mask->hidden, {b, b + 1}, {h, h + 1}, region[2]);
      }
      device.pixel_kernels().pool_cells({.rows = region[2].size(),
                                         .columns = region[3].size(),
                                         .block = cells,
                                         .first_key = region[3].begin,
                                         .hides = hides,
                                         .first_row = part[0].begin,
                                         .first_column = part[1].begin,
                                         .row_pixels = pixel_columns},
                                        of.pooling, buffers.result, buffers.mask, result->values, result->counts);
    }
    return result;
  }

  std::shared_ptr<const DevicePicture> put_together(ComputeDevice& device, const DevicePicturePlan& plan) const {
    share_->collect();
    ComputeBuffers& buffers = *device.buffers;
    const PixelKernels& kernels = device.pixel_kernels();
    buffers.canvas_values.reserve(plan.canvas_rows * plan.canvas_columns);
    buffers.canvas_counts.reserve(plan.canvas_rows * plan.canvas_columns);
    for (const DevicePicturePlan::Part& part : plan.parts) {
      const auto& pixels = dynamic_cast<const SharedPixels&>(*part.pixels);
      kernels.place_pixels({.rows = pixels.rows,
                            .columns = pixels.columns,
                            .canvas_rows = plan.canvas_rows,
                            .canvas_columns = plan.canvas_columns,
                            .row = part.row,
                            .column = part.column,
                            .covered_rows = part.rows},
                           pixels.values, pixels.counts, buffers.canvas_values, buffers.canvas_counts);
    }
    const int width = static_cast<int>(plan.columns()), height = static_cast<int>(plan.rows());
    auto values = std::make_unique<GlTexture>(TexelFormat::r32_float, width, height, nullptr);
    auto hidden = std::make_unique<GlTexture>(TexelFormat::r8_integer, width, height, nullptr);
    const auto* below = dynamic_cast<const SharedPicture*>(plan.below.get());
    kernels.pool_pixels(
        {.canvas_rows = plan.canvas_rows, .canvas_columns = plan.canvas_columns, .by = plan.by}, plan.pooling,
        buffers.canvas_values, buffers.canvas_counts,
        below != nullptr ? PixelKernels::Picture{&below->own_values(), &below->own_hidden()} : PixelKernels::Picture{},
        {values.get(), hidden.get()});
    buffers.extents.reserve(2 * height);
    kernels.row_extents(*values, *hidden, buffers.extents);
    std::vector<float> ends(static_cast<std::size_t>(2 * height));
    buffers.extents.read(0, ends);
    std::vector<DevicePicture::RowExtent> extents(static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < extents.size(); ++i) extents[i] = {ends[2 * i], ends[2 * i + 1]};
    return std::make_shared<SharedPicture>(
        std::move(values), std::move(hidden), std::move(extents), share_,
        [run = run_if_there_](const std::function<void()>& work) { run([&](ComputeDevice&) { work(); }); });
  }

  const RunOnDevice run_, run_if_there_;
  const PyramidDevice device_;
  const std::shared_ptr<TextureShare> share_;
  const ScoreMatrix matrix_;
};

}  // namespace

std::shared_ptr<const DevicePyramid> make_compute_pyramid(RunOnDevice run, RunOnDevice run_if_there,
                                                          PyramidDevice device, std::shared_ptr<TextureShare> share,
                                                          ScoreMatrix matrix) {
  return std::make_shared<ComputePyramid>(std::move(run), std::move(run_if_there), device, std::move(share),
                                          std::move(matrix));
}

}  // namespace headscope
