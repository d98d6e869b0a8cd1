// y = x W^T + b with a weight that is not kept packed: a strip of its panels at a time is packed into memory that stays
// in the second cache, multiplied with all rows and forgotten. The weight is read once, as it lies in its file, and
// takes no memory of its own.
#include <algorithm>
#include <span>
#include <vector>

#include "core/backend/cpu_backend.h"
#include "core/backend/kernels/gemm.h"
#include "core/backend/kernels/rows_in_place.h"
#include "core/backend/packed_weights.h"
#include "core/backend/weight_rows.h"
#include "core/base/per_thread.h"
#include "core/tensor/parts.h"

namespace headscope {

// Rows of one matrix that are multiplied at once.
struct CpuBackend::RowBlock {
  const float* x;
  std::int64_t x_stride;
  float* y;
  std::int64_t y_stride;
  std::int64_t rows;
  std::int64_t rows_before;  // in the blocks before this one
};

namespace {

// A block of rows, a strip and the rows of the next one fit a second cache of a megabyte together.
constexpr std::int64_t kBlockRows = 96;
constexpr std::int64_t kStripBytes = std::int64_t{1} << 18;
constexpr std::int64_t kPanelBytes = std::int64_t{1} << 19;  // of the largest panel that is not cut along the inputs
constexpr std::int64_t kStripDepth = 1024;  // inputs of a part; a multiple of what quantised blocks hold
// Panels whose rows are read in place between two looks at whether the caller has changed its mind.
constexpr std::int64_t kPanelsBetweenChecks = 16;
// Rows that one packing of the weight serves; their packed form is a few megabytes.
constexpr std::int64_t kRowsAtOnce = 1024;

PackedMatrix& strip_of_this_thread() {
  static PerThread<PackedMatrix> strips;
  return strips.get();
}

// How a weight is cut into strips: panels at once, and inputs at once.
struct StripSize {
  std::int64_t panels, depth;
};

// Whether the inputs of a row follow one another.
bool lies_in_rows(const Tensor& weight) {
  return lies_in_memory(weight) && weight.strides()[1] == 1;
}

// Rows are turned best a panel at a time, and whole: so the next one can be asked for. Of others longer stretches are
// copied at once.
StripSize strip_size(const Tensor& weight) {
  const std::int64_t in = weight.dim(1), row = kPanelColumns * bytes_of(panel_type_of(weight));
  if (lies_in_rows(weight)) return {1, in * row <= kPanelBytes ? std::max<std::int64_t>(in, 1) : kStripDepth};
  constexpr std::int64_t kPanels = 4;
  return {kPanels, kStripBytes / (kPanels * row)};
}

// Makes sure that the pages of a mapped file are there: what is not cannot be asked for ahead. A read of one byte
// brings this many, by the system's own rule.
void touch_pages(const MatrixSource& rows, std::int64_t numbers) {
  constexpr std::int64_t kBroughtAtOnce = std::int64_t{1} << 16;
  const auto* const bytes = static_cast<const volatile std::byte*>(rows.data);
  for (std::int64_t at = 0; at < numbers * bytes_of(rows.type); at += kBroughtAtOnce) (void)bytes[at];
}

// The strip behind this one, rows `out` and from input `in` on, where it is to be asked for: rows that are one stretch
// of memory, and rows that stand beside one another.
NextPanels next_panels(const Tensor& weight, Range out, std::int64_t in, bool whole) {
  if (out.size() <= 0 || !lies_in_memory(weight)) return {};
  const MatrixSource next = source_from(matrix_source_of(weight), out.begin, in);
  if (lies_in_rows(weight)) {
    if (!whole || weight.strides()[0] != weight.dim(1)) return {};
    touch_pages(next, out.size() * weight.dim(1));
  } else if (next.out_stride != 1) {
    return {};
  }
  return {next.data, next.out_stride, next.in_stride};
}

// Calls with_strip(panels, rows of the weight, inputs, NextPanels) for the strips of panels
// [panels.begin, panels.end).
template <typename WithStrip>
void for_each_strip(const Tensor& weight, Range panels, const CancelToken& cancel, WithStrip&& with_strip) {
  const std::int64_t in = weight.dim(1);
  const StripSize size = strip_size(weight);
  const auto rows_from = [&](std::int64_t first) {
    return Range{first * kPanelColumns,
                 std::min(std::min(first + size.panels, panels.end) * kPanelColumns, weight.dim(0))};
  };
  PackedMatrix& strip = strip_of_this_thread();
  for (std::int64_t first = panels.begin; first < panels.end; first += size.panels) {
    const Range out = rows_from(first);
    // A weight without inputs has one part, of none: its products are their biases.
    for (std::int64_t begin = 0; begin < std::max<std::int64_t>(in, 1); begin += size.depth) {
      cancel.check();
      const Range inputs{begin, std::min(begin + size.depth, in)};
      strip.reshape(out.size(), inputs.size(), panel_type_of(weight));
      strip.pack(0, strip.panels(), rows_of_weight(weight, out, inputs));
      const bool last = inputs.end == in;
      with_strip(
          strip, out, inputs,
          next_panels(weight, last ? rows_from(first + size.panels) : out, last ? 0 : inputs.end, inputs.size() == in));
    }
  }
}

// Tasks for every thread, so that one that comes late or runs slowly leaves little to wait for.
std::int64_t strip_tasks(std::int64_t panels, int threads) {
  constexpr std::int64_t kLeastTasks = 2, kMostTasks = 8, kPanelsOfTask = 8;
  return threads == 1
             ? 1
             : std::min(panels, std::clamp(panels / kPanelsOfTask, kLeastTasks * threads, kMostTasks * threads));
}

template <typename RowBlock>
std::int64_t rows_of(std::span<const RowBlock> blocks) {
  return blocks.back().rows_before + blocks.back().rows - blocks.front().rows_before;
}

template <typename RowBlock>
double work_of(const Tensor& weight, std::span<const RowBlock> blocks) {
  return packing_work(weight) + static_cast<double>(rows_of(blocks) * weight.size());
}

}  // namespace

MatrixSource rows_of_weight(const Tensor& weight, Range out, Range in) {
  if (lies_in_memory(weight)) return source_from(matrix_source_of(weight), out.begin, in.begin);
  static PerThread<std::vector<float>> computed_rows;
  std::vector<float>& rows = computed_rows.get();
  rows.resize(static_cast<std::size_t>(out.size() * in.size()));
  weight.read({out, in}, rows);
  return {rows.data(), PanelType::float32, in.size(), 1};
}

void CpuBackend::multiply_in_place(const Tensor& weight, const float* bias, const RowBlock& block,
                                   const CancelToken& cancel) const {
  const MatrixSource all = matrix_source_of(weight);
  const std::int64_t panels = parts_over(weight.dim(0), kPanelColumns);
  // Of a weight whose inputs lie far apart each task reads a piece of every one: the longer, the better.
  const std::int64_t tasks =
      all.in_stride == 1 ? strip_tasks(panels, pool_.threads()) : std::min<std::int64_t>(panels, pool_.threads());
  run(tasks, static_cast<double>((block.rows + 2) * weight.size()), cancel, [&](std::int64_t task) {
    const Range part{panels * task / tasks, panels * (task + 1) / tasks};
    const std::int64_t at_once = all.in_stride == 1 ? kPanelsBetweenChecks : std::max<std::int64_t>(part.size(), 1);
    for (std::int64_t p = part.begin; p < part.end; p += at_once) {
      cancel.check();
      const Range out{p * kPanelColumns, std::min(std::min(p + at_once, part.end) * kPanelColumns, weight.dim(0))};
      headscope::multiply_in_place(source_from(all, out.begin, 0), out.size(), weight.dim(1),
                                   {.x = block.x,
                                    .x_stride = block.x_stride,
                                    .rows = block.rows,
                                    .bias = bias == nullptr ? nullptr : bias + out.begin,
                                    .y = block.y + out.begin,
                                    .y_stride = block.y_stride});
    }
  });
}

void CpuBackend::multiply_few_in_strips(const Tensor& weight, const float* bias, std::span<const RowBlock> blocks,
                                        const CancelToken& cancel) const {
  const bool in_place = blocks.size() == 1 && lies_in_memory(weight) &&
                        blocks.front().rows <= most_rows_in_place(matrix_source_of(weight));
  if (in_place) return multiply_in_place(weight, bias, blocks.front(), cancel);
  const std::int64_t panels = parts_over(weight.dim(0), kPanelColumns), tasks = strip_tasks(panels, pool_.threads());
  run(tasks, work_of(weight, blocks), cancel, [&](std::int64_t task) {
    const Range part{panels * task / tasks, panels * (task + 1) / tasks};
    for_each_strip(weight, part, cancel,
                   [&](const PackedMatrix& strip, Range out, Range inputs, const NextPanels& next) {
                     for (const RowBlock& block : blocks) {
                       multiply_few_rows(strip, 0, strip.panels(),
                                         {.x = block.x + inputs.begin,
                                          .x_stride = block.x_stride,
                                          .rows = block.rows,
                                          .bias = bias == nullptr ? nullptr : bias + out.begin,
                                          .y = block.y + out.begin,
                                          .y_stride = block.y_stride,
                                          .goes_on = inputs.begin > 0,
                                          .next = &block == &blocks.front() ? next : NextPanels{}});
                     }
                   });
  });
}

void CpuBackend::multiply_many_in_strips(const Tensor& weight, const float* bias, std::span<const RowBlock> blocks,
                                         const CancelToken& cancel) const {
  const std::int64_t panels = parts_over(weight.dim(0), kPanelColumns), tasks = strip_tasks(panels, pool_.threads());
  const std::int64_t in = weight.dim(1), depth = strip_size(weight).depth;
  // Rows are packed once for all strips: of a block [parts of the inputs][rows][depth].
  const std::int64_t numbers = rows_of(blocks) * in;
  const ScratchPool::Lease packed = scratch_.take(numbers);
  const auto packed_at = [&](const RowBlock& block, std::int64_t input) {
    return packed.data() + (block.rows_before - blocks.front().rows_before) * in + block.rows * input;
  };
  run(static_cast<std::int64_t>(blocks.size()), static_cast<double>(numbers), cancel, [&](std::int64_t i) {
    const RowBlock& block = blocks[static_cast<std::size_t>(i)];
    for (std::int64_t begin = 0; begin < in; begin += depth) {
      pack_rows(block.x + begin, block.x_stride, block.rows, std::min(depth, in - begin), packed_at(block, begin));
    }
  });
  run(tasks, work_of(weight, blocks), cancel, [&](std::int64_t task) {
    const Range part{panels * task / tasks, panels * (task + 1) / tasks};
    for_each_strip(weight, part, cancel,
                   [&](const PackedMatrix& strip, Range out, Range inputs, const NextPanels& next) {
                     for (const RowBlock& block : blocks) {
                       multiply_block(strip, 0, strip.panels(),
                                      {.packed = packed_at(block, inputs.begin),
                                       .rows = block.rows,
                                       .first_k = 0,
                                       .depth = inputs.size(),
                                       .bias = bias == nullptr ? nullptr : bias + out.begin,
                                       .y = block.y + out.begin,
                                       .y_stride = block.y_stride,
                                       .goes_on = inputs.begin > 0,
                                       .next = &block == &blocks.front() ? next : NextPanels{}});
                     }
                   });
  });
}

void CpuBackend::multiply_in_strips(const Tensor& weight, const float* bias, const std::vector<MatrixRows>& matrices,
                                    const CancelToken& cancel) const {
  std::vector<RowBlock> blocks;
  std::int64_t rows = 0;
  for (const MatrixRows& matrix : matrices) {
    for (std::int64_t row = 0; row < matrix.count; row += kBlockRows) {
      const std::int64_t count = std::min(kBlockRows, matrix.count - row);
      blocks.push_back({matrix.x + row * matrix.x_stride, matrix.x_stride, matrix.y + row * matrix.y_stride,
                        matrix.y_stride, count, rows});
      rows += count;
    }
  }
  for (auto first = blocks.begin(); first != blocks.end();) {
    const std::int64_t most = first->rows_before + kRowsAtOnce;
    const auto last =
        std::find_if(first, blocks.end(), [&](const RowBlock& block) { return block.rows_before + block.rows > most; });
    const std::span<const RowBlock> part(&*first, static_cast<std::size_t>(last - first));
    const bool few = std::all_of(first, last, [](const RowBlock& block) { return block.rows <= kFewRows; });
    few ? multiply_few_in_strips(weight, bias, part, cancel) : multiply_many_in_strips(weight, bias, part, cancel);
    first = last;
  }
}

}  // namespace headscope
