// build_mask: the terms of a request as hidden cells and sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/request/key_mask.h"
#include "core/request/mask.h"
#include "core/request/mask_parts.h"
#include "core/request/mask_terms.h"
#include "core/request/past.h"

namespace headscope {
namespace {

// Reads a mask file as if it had been broadcast to [batch, heads, query_len, key_len].
class BroadcastFile {
 public:
  BroadcastFile(const MaskFile& file, const Shape& target, MaskKind kind) : values_(file.values.values()) {
    const Shape& found = file.values.shape();
    const Shape shape = is_of_keys(kind) ? key_mask_shape(found) : found;
    bool fits = shape.count >= 1 && shape.count <= 4;
    const Strides strides = row_major_strides(shape);
    for (int axis = 0; axis < shape.count && fits; ++axis) {
      const int to = 4 - shape.count + axis;
      fits = shape[axis] == 1 || shape[axis] == target[to];
      if (shape[axis] > 1) steps_[to] = strides[axis];
    }
    if (is_of_keys(kind)) fits = fits && steps_[1] == 0 && steps_[2] == 0;
    if (fits) return;
    if (is_of_keys(kind)) {
      throw UsageError("mask", fmt::format("{} is {}; with --mask-kind {} it is [{}, {}] [batch, key_len]", file.path,
                                           to_string(found), mask_kind_word(kind), target[0], target[3]));
    }
    throw UsageError("mask", file.path + " has the shape " + to_string(found) +
                                 ", which does not broadcast to the scores' " + to_string(target) +
                                 " [batch, heads, query_len, key_len]; make every axis 1 or that size");
  }
  bool per_batch() const { return steps_[0] != 0; }
  bool per_head() const { return steps_[1] != 0; }
  // Calls visit(j, value) for the keys of one row.
  template <typename Visit>
  void visit_row(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t keys, Visit&& visit) const {
    const float* value = values_.data() + b * steps_[0] + h * steps_[1] + i * steps_[2];
    for (std::int64_t j = 0; j < keys; ++j) visit(j, value[j * steps_[3]]);
  }
  float at(const MaskCell& cell) const {
    return values_[static_cast<std::size_t>(cell.b * steps_[0] + cell.h * steps_[1] + cell.i * steps_[2] +
                                            cell.j * steps_[3])];
  }

 private:
  std::vector<float> values_;
  Strides steps_{0, 0, 0, 0};
};

MaskKind kind_of(const Request& request, const MaskFile& file) {
  if (request.mask_kind != MaskKind::automatic && !file.is_captured) return request.mask_kind;
  return file.is_whole ? MaskKind::keep : MaskKind::additive;
}

[[noreturn]] void refuse_value(const MaskFile& file, MaskKind kind, float value) {
  const std::string found = std::isnan(value)   ? "nan"
                            : std::isinf(value) ? (value > 0 ? "inf" : "-inf")
                                                : std::to_string(value);
  if (kind == MaskKind::additive) {
    throw UsageError("mask", file.path + " holds " + found +
                                 "; values that are added to scores are finite, or -inf where a key is hidden");
  }
  throw UsageError("mask", file.path + " holds " + found + "; with --mask-kind " + mask_kind_word(kind) +
                               " every value is 0 or 1 (use --mask-kind additive for values that are added to scores)");
}

// Calls visit(b, h, i) for every row of hidden cells.
template <typename Visit>
void visit_rows(const HiddenCells& cells, Visit&& visit) {
  for (std::int64_t b = 0; b < cells.batch(); ++b) {
    for (std::int64_t h = 0; h < cells.heads(); ++h) {
      for (std::int64_t i = 0; i < cells.query_len(); ++i) visit(b, h, i);
    }
  }
}

Tensor no_sums(const HiddenCells& cells, std::int64_t heads) {
  return Tensor::zeros({cells.batch(), heads, cells.query_len(), cells.key_len()},
                       {Axis::batch, Axis::head, Axis::query, Axis::key});
}

float* row_of(Tensor& sums, std::int64_t b, std::int64_t h, std::int64_t i) {
  return sums.mutable_data() + ((b * sums.dim(1) + h) * sums.dim(2) + i) * sums.dim(3);
}

// masked_keys: all but the key of bias_k.
void unite_file(Mask& mask, const MaskFile& file, const BroadcastFile& broadcast, MaskKind kind,
                std::int64_t masked_keys) {
  visit_rows(mask.hidden, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    std::uint8_t* hidden = mask.hidden.mutable_row(b, h, i);
    if (kind == MaskKind::additive) {
      float* sums = row_of(mask.added, b, h, i);
      broadcast.visit_row(b, h, i, masked_keys, [&](std::int64_t j, float value) {
        if (std::isnan(value) || value == INFINITY) refuse_value(file, kind, value);
        sums[j] = value == -INFINITY ? sums[j] : sums[j] + value;
        // Two files may sum below the smallest float32, which hides like -inf itself.
        if (value == -INFINITY || sums[j] == -INFINITY) hidden[j] = 1;
      });
    } else {
      broadcast.visit_row(b, h, i, masked_keys, [&](std::int64_t j, float value) {
        if (value != 0.0F && value != 1.0F) refuse_value(file, kind, value);
        if ((value == 1.0F) == hides_ones(kind)) hidden[j] = 1;
      });
    }
  });
}

void paint_over(HiddenCells& cells, const PaintedCells& painted, std::int64_t masked_keys) {
  visit_rows(cells, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    if (i < painted.query_begin || i >= painted.query_end) return;
    std::uint8_t* hidden = cells.mutable_row(b, h, i);
    const std::int64_t end = std::min(painted.key_end, masked_keys);
    for (std::int64_t j = painted.key_begin; j < end; ++j) hidden[j] = painted.hides ? 1 : 0;
  });
}

void invert(HiddenCells& cells, std::int64_t masked_keys) {
  visit_rows(cells, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    std::uint8_t* hidden = cells.mutable_row(b, h, i);
    for (std::int64_t j = 0; j < masked_keys; ++j) hidden[j] ^= 1;
  });
}

// A term that stands there twice counts once.
std::vector<MaskTerm> every_term(const Request& request, std::span<const MaskTerm> own) {
  std::vector<MaskTerm> terms;
  for (const std::span<const MaskTerm> part : {own, std::span<const MaskTerm>(request.mask)}) {
    for (const MaskTerm& term : part) {
      if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(term);
    }
  }
  return terms;
}

// What files added, for every head, and what the terms add to it.
Tensor with_terms_added(Mask& mask, const std::vector<MaskTerm>& terms, std::int64_t heads, std::int64_t diagonal,
                        std::int64_t masked_keys) {
  Tensor sums = no_sums(mask.hidden, heads);
  for (std::int64_t b = 0; b < sums.dim(0); ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < sums.dim(2); ++i) {
        float* row = row_of(sums, b, h, i);
        if (!mask.added.empty()) {
          std::copy_n(row_of(mask.added, b, mask.added.dim(1) == 1 ? 0 : h, i), masked_keys, row);
        }
        for (const MaskTerm& term : terms) {
          const auto add = mask_term_info(term.kind).add;
          if (add != nullptr) add({h, heads, i + diagonal, term.size}, {row, static_cast<std::size_t>(masked_keys)});
        }
      }
    }
  }
  return sums;
}

// Hidden cells keep what is added to them, for mask-after-softmax; a sum of nothing but zeros is no mask at all.
void settle_sums(Tensor& added) {
  bool any_value = false;
  float* sums = added.mutable_data();
  for (std::int64_t n = 0; n < added.size(); ++n) {
    if (!std::isfinite(sums[n])) sums[n] = 0.0F;
    any_value = any_value || sums[n] != 0.0F;
  }
  if (!any_value) added = {};
}

}  // namespace

Mask build_mask(const Request& request, const std::vector<MaskFile>& files, const MaskSizes& sizes,
                std::span<const MaskTerm> own) {
  const std::int64_t masked_keys = sizes.key_len - (sizes.extra_key ? 1 : 0);
  const bool inverted = has_variant(request, Variant::mask_inverted);
  const bool painted = any_painted(request), in_bytes = painted || !files.empty();
  const std::vector<MaskTerm> terms = every_term(request, own);
  MaskRule rule = mask_rule_of(terms);
  rule.diagonal = diagonal_of(request, sizes.query_len, masked_keys);
  rule.extra_key = sizes.extra_key;
  rule.inverted = inverted && !in_bytes;  // with bytes all of them are inverted at the end
  std::int64_t batches = 1, head_count = 1;
  std::vector<BroadcastFile> broadcast;
  bool any_added = false;
  for (const MaskFile& file : files) {
    broadcast.emplace_back(file, Shape{sizes.batch, sizes.heads, sizes.query_len, masked_keys}, kind_of(request, file));
    if (broadcast.back().per_batch()) batches = sizes.batch;
    if (broadcast.back().per_head()) head_count = sizes.heads;
    any_added = any_added || kind_of(request, file) == MaskKind::additive;
  }

  Mask mask;
  mask.hidden = HiddenCells(batches, head_count, sizes.query_len, sizes.key_len, rule);
  if (any_added) mask.added = no_sums(mask.hidden, head_count);
  for (std::size_t f = 0; f < files.size(); ++f) {
    unite_file(mask, files[f], broadcast[f], kind_of(request, files[f]), masked_keys);
  }
  for (const PaintedCells& cells : request.paint) {
    if (cells.on) paint_over(mask.hidden, cells, masked_keys);
  }
  if (inverted && in_bytes) invert(mask.hidden, masked_keys);
  if (in_bytes) mask.hidden.refresh_any();
  if (adds_to_scores(terms)) mask.added = with_terms_added(mask, terms, sizes.heads, rule.diagonal, masked_keys);
  if (!mask.added.empty()) settle_sums(mask.added);
  return mask;
}

namespace {

// What a file does to the cell; a kept cell is no part.
std::optional<MaskPart> part_of_file(const MaskFile& file, MaskKind kind, const Shape& scores, const MaskCell& cell) {
  const float value = BroadcastFile(file, scores, kind).at(cell);
  const Shape& shape = file.values.shape();
  const std::int64_t place[4] = {cell.b, cell.h, cell.i, cell.j};
  MaskPart part{file.path, {}, false, 0};
  for (int axis = 0; axis < shape.count; ++axis) {
    const bool of_item = is_of_keys(kind) && axis == 0 && shape.count > 1;
    part.index.push_back(shape[axis] == 1 ? 0 : of_item ? cell.b : place[4 - shape.count + axis]);
  }
  if (!file.rows.empty()) {
    part.index = {file.rows[static_cast<std::size_t>(cell.i * scores[3] + cell.j)], cell.h};
  }
  if (kind == MaskKind::additive) {
    part.hides = value == -INFINITY;
    if (!part.hides) part.added = static_cast<double>(value);
    return part;
  }
  part.hides = (value == 1.0F) == hides_ones(kind);
  return part.hides ? std::optional(part) : std::nullopt;
}

// What a term of place does to the cell.
std::optional<MaskPart> part_of_term(const MaskTerm& term, const MaskSizes& sizes, std::int64_t diagonal,
                                     const MaskCell& cell) {
  const MaskTermInfo& info = mask_term_info(term.kind);
  MaskPart part{spelled(term), {cell.b, cell.h, cell.i, cell.j}, false, 0};
  if (info.narrow != nullptr) {
    MaskRule rule = mask_rule_of(std::span(&term, 1));
    rule.diagonal = diagonal;
    rule.extra_key = sizes.extra_key;
    part.hides = HiddenCells(1, 1, sizes.query_len, sizes.key_len, rule).hidden(0, 0, cell.i, cell.j);
  }
  if (info.add != nullptr) {
    std::vector<float> row(static_cast<std::size_t>(cell.j) + 1);
    info.add({cell.h, sizes.heads, cell.i + diagonal, term.size}, row);
    part.added = static_cast<double>(row.back());
  }
  return part.hides || info.add != nullptr ? std::optional(part) : std::nullopt;
}

}  // namespace

std::vector<MaskPart> mask_parts(const Request& request, const std::vector<MaskFile>& files, const MaskSizes& sizes,
                                 std::span<const MaskTerm> own, const MaskCell& cell) {
  const std::int64_t masked_keys = sizes.key_len - (sizes.extra_key ? 1 : 0);
  const std::int64_t diagonal = diagonal_of(request, sizes.query_len, masked_keys);
  std::vector<MaskPart> parts;
  for (const MaskTerm& term : every_term(request, own)) {
    if (term.kind == MaskTerm::Kind::file) continue;
    if (auto part = part_of_term(term, sizes, diagonal, cell)) parts.push_back(std::move(*part));
  }
  for (const MaskFile& file : files) {
    const Shape scores{sizes.batch, sizes.heads, sizes.query_len, masked_keys};
    if (auto part = part_of_file(file, kind_of(request, file), scores, cell)) parts.push_back(std::move(*part));
  }
  for (const PaintedCells& painted : request.paint) {
    const bool inside = painted.on && painted.query_begin <= cell.i && cell.i < painted.query_end &&
                        painted.key_begin <= cell.j && cell.j < painted.key_end;
    if (!inside) continue;
    std::erase_if(parts,
                  [&](const MaskPart& part) { return part.hides && (!painted.hides || part.name == "painted"); });
    if (painted.hides) parts.push_back({"painted", {cell.b, cell.h, cell.i, cell.j}, true, 0});
  }
  return parts;
}

}  // namespace headscope
