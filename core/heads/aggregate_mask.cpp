#include "core/heads/aggregate_mask.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/attention/shown_mask.h"
#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr std::size_t kBits = 64;

// Which keys each query sees, a bit a key.
struct Seen {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::uint64_t> bits;

  Seen(std::int64_t row_count, std::int64_t column_count) : rows(row_count), columns(column_count) {
    bits.resize(static_cast<std::size_t>(rows) * words(), 0);
  }
  std::size_t words() const { return (static_cast<std::size_t>(columns) + kBits - 1) / kBits; }
  std::span<std::uint64_t> row(std::int64_t i) {
    return std::span(bits).subspan(static_cast<std::size_t>(i) * words(), words());
  }
  void see(std::int64_t i, std::int64_t j) {
    const auto column = static_cast<std::size_t>(j);
    row(i)[column / kBits] |= std::uint64_t{1} << (column % kBits);
  }
  bool sees(std::int64_t i, std::int64_t j) {
    const auto column = static_cast<std::size_t>(j);
    return ((row(i)[column / kBits] >> (column % kBits)) & 1) != 0;
  }
};

// Adds what any head of a layer sees.
void add_layer(Seen& seen, const Trace& layer, std::int64_t batch) {
  const std::shared_ptr<const Mask> mask = shown_mask(layer, StageId::weights);
  const std::int64_t heads = mask != nullptr ? mask->hidden.heads() : 1;
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(seen.columns), 0);
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t i = 0; i < seen.rows; ++i) {
      if (mask != nullptr) mask->hidden.read_row(std::min(batch, mask->hidden.batch() - 1), head, i, hidden);
      for (std::int64_t j = 0; j < seen.columns; ++j) {
        if (hidden[static_cast<std::size_t>(j)] == 0) seen.see(i, j);
      }
    }
  }
}

// What a query reaches in this layer, and from there by the layers before it.
Seen through(Seen& layer, Seen& before) {
  Seen result(layer.rows, layer.columns);
  for (std::int64_t i = 0; i < layer.rows; ++i) {
    const std::span<std::uint64_t> reached = result.row(i);
    for (std::int64_t k = 0; k < layer.columns; ++k) {
      if (!layer.sees(i, k)) continue;
      const std::span<std::uint64_t> further = before.row(k);
      for (std::size_t word = 0; word < reached.size(); ++word) reached[word] |= further[word];
    }
  }
  return result;
}

}  // namespace

std::shared_ptr<const Mask> hidden_in_aggregate(Aggregate aggregate, const std::vector<const Trace*>& layers,
                                                std::int64_t batch) {
  HEADSCOPE_ASSERT(!layers.empty(), "an aggregate of no layer");
  const std::int64_t rows = layers.front()->query_len(), columns = layers.front()->key_len();
  const bool paths = (aggregate == Aggregate::rollout || aggregate == Aggregate::flow) && rows == columns;
  Seen seen(rows, columns);
  bool first = true;
  for (const Trace* layer : layers) {
    if (!paths) {
      add_layer(seen, *layer, batch);
      continue;
    }
    Seen own(rows, columns);
    add_layer(own, *layer, batch);
    for (std::int64_t i = 0; i < rows; ++i) own.see(i, i);
    seen = first ? std::move(own) : through(own, seen);
    first = false;
  }
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    std::uint8_t* hidden = mask->hidden.mutable_row(0, 0, i);
    for (std::int64_t j = 0; j < columns; ++j) hidden[j] = seen.sees(i, j) ? 0 : 1;
  }
  mask->hidden.refresh_any();
  return mask->hidden.any() ? mask : nullptr;
}

}  // namespace headscope
