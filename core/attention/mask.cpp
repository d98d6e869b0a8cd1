#include "core/attention/mask.h"

#include <algorithm>
#include <cmath>

#include "core/assert.h"
#include "core/error.h"

namespace headscope {
namespace {

// Reads a mask file as if it had been broadcast to [batch, heads, query_len, key_len].
class BroadcastFile {
 public:
  BroadcastFile(const MaskFile& file, const Shape& target) : values_(file.values.values()) {
    const Shape& shape = file.values.shape();
    bool fits = shape.count >= 1 && shape.count <= 4;
    const Strides strides = row_major_strides(shape);
    for (int axis = 0; axis < shape.count && fits; ++axis) {
      const int to = 4 - shape.count + axis;
      fits = shape[axis] == 1 || shape[axis] == target[to];
      if (shape[axis] > 1) steps_[to] = strides[axis];
    }
    if (!fits) {
      throw UsageError("--mask: " + file.path + " has the shape " + to_string(shape) +
                       ", which does not broadcast to the scores' " + to_string(target) +
                       " [batch, heads, query_len, key_len]; make every axis 1 or that size");
    }
  }
  bool per_batch() const { return steps_[0] != 0; }
  bool per_head() const { return steps_[1] != 0; }
  float at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return values_[static_cast<std::size_t>(b * steps_[0] + h * steps_[1] + i * steps_[2] + j * steps_[3])];
  }

 private:
  std::vector<float> values_;
  Strides steps_{0, 0, 0, 0};
};

MaskKind kind_of(const Request& request, const MaskFile& file) {
  if (request.mask_kind != MaskKind::automatic) return request.mask_kind;
  return file.is_whole ? MaskKind::keep : MaskKind::additive;
}

[[noreturn]] void refuse_value(const MaskFile& file, MaskKind kind, float value) {
  const std::string found = std::isnan(value)   ? "nan"
                            : std::isinf(value) ? (value > 0 ? "inf" : "-inf")
                                                : std::to_string(value);
  if (kind == MaskKind::additive) {
    throw UsageError("--mask: " + file.path + " holds " + found +
                     "; values that are added to scores are finite, or -inf where a key is hidden");
  }
  const char* name = kind == MaskKind::keep ? "keep" : "hide";
  throw UsageError("--mask: " + file.path + " holds " + found + "; with --mask-kind " + name +
                   " every value is 0 or 1 (use --mask-kind additive for values that are added to scores)");
}

// Whether query i (counted from the aligned diagonal) must not see key j; not for files.
bool hides(const MaskTerm& term, std::int64_t i, std::int64_t j, std::int64_t key_len) {
  switch (term.kind) {
    case MaskTerm::Kind::causal:
      return j > i;
    case MaskTerm::Kind::padding:
      return j >= key_len - term.size;
    case MaskTerm::Kind::window:
      return std::abs(i - j) > term.size;
    case MaskTerm::Kind::prefix:
      return j > i && j >= term.size;
    case MaskTerm::Kind::file:
      break;
  }
  return false;
}

struct Extent {
  std::int64_t batch, heads, query_len, key_len;
};

template <typename Visit>
void visit_cells(const Extent& extent, Visit&& visit) {
  for (std::int64_t b = 0; b < extent.batch; ++b) {
    for (std::int64_t h = 0; h < extent.heads; ++h) {
      for (std::int64_t i = 0; i < extent.query_len; ++i) {
        for (std::int64_t j = 0; j < extent.key_len; ++j) visit(b, h, i, j);
      }
    }
  }
}

}  // namespace

HiddenCells::HiddenCells(std::int64_t batch, std::int64_t heads, std::int64_t query_len, std::int64_t key_len)
    : batch_(batch),
      heads_(heads),
      query_len_(query_len),
      key_len_(key_len),
      cells_(static_cast<std::size_t>(element_count(Shape{batch, heads, query_len, key_len})), 0) {}

const std::uint8_t* HiddenCells::row(std::int64_t b, std::int64_t h, std::int64_t i) const {
  const std::int64_t batch = batch_ == 1 ? 0 : b;
  const std::int64_t head = heads_ == 1 ? 0 : h;
  HEADSCOPE_ASSERT(0 <= batch && batch < batch_ && 0 <= head && head < heads_ && 0 <= i && i < query_len_,
                   to_string(Shape{b, h, i}) + " of " + to_string(Shape{batch_, heads_, query_len_, key_len_}));
  return cells_.data() + ((batch * heads_ + head) * query_len_ + i) * key_len_;
}

std::uint8_t* HiddenCells::mutable_row(std::int64_t b, std::int64_t h, std::int64_t i) {
  return const_cast<std::uint8_t*>(row(b, h, i));
}

std::int64_t HiddenCells::hidden_count(std::int64_t b, std::int64_t h) const {
  if (!any_ || query_len_ == 0) return 0;
  const std::uint8_t* first = row(b, h, 0);
  return std::count_if(first, first + query_len_ * key_len_, [](std::uint8_t cell) { return cell != 0; });
}

void HiddenCells::refresh_any() {
  any_ = std::any_of(cells_.begin(), cells_.end(), [](std::uint8_t cell) { return cell != 0; });
}

Mask build_mask(const Request& request, const std::vector<MaskFile>& files, std::int64_t batch, std::int64_t heads,
                std::int64_t query_len, std::int64_t key_len, bool extra_key) {
  const std::int64_t masked_keys = key_len - (extra_key ? 1 : 0);
  Extent extent{1, 1, query_len, masked_keys};
  std::vector<BroadcastFile> broadcast;
  bool any_added = false;
  for (const MaskFile& file : files) {
    broadcast.emplace_back(file, Shape{batch, heads, query_len, masked_keys});
    if (broadcast.back().per_batch()) extent.batch = batch;
    if (broadcast.back().per_head()) extent.heads = heads;
    any_added = any_added || kind_of(request, file) == MaskKind::additive;
  }

  Mask mask;
  mask.hidden = HiddenCells(extent.batch, extent.heads, query_len, key_len);
  const std::int64_t diagonal =
      request.causal_align == CausalAlign::bottom_right ? masked_keys - query_len : std::int64_t{0};
  for (const MaskTerm& term : request.mask) {
    if (term.kind == MaskTerm::Kind::file) continue;
    visit_cells(extent, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      if (hides(term, i + diagonal, j, masked_keys)) mask.hidden.mutable_row(b, h, i)[j] = 1;
    });
  }

  if (any_added) {
    mask.added = Tensor::zeros({extent.batch, extent.heads, query_len, key_len},
                               {Axis::batch, Axis::head, Axis::query, Axis::key});
  }
  for (std::size_t f = 0; f < files.size(); ++f) {
    const MaskKind kind = kind_of(request, files[f]);
    visit_cells(extent, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      const float value = broadcast[f].at(b, h, i, j);
      std::uint8_t& hidden = mask.hidden.mutable_row(b, h, i)[j];
      if (kind == MaskKind::additive) {
        if (std::isnan(value) || value == INFINITY) refuse_value(files[f], kind, value);
        float& sum = mask.added.mutable_data()[((b * extent.heads + h) * query_len + i) * key_len + j];
        sum = value == -INFINITY ? sum : sum + value;
        // Two files may sum below the smallest float32, which hides like -inf itself.
        if (value == -INFINITY || sum == -INFINITY) hidden = 1;
      } else {
        if (value != 0.0F && value != 1.0F) refuse_value(files[f], kind, value);
        if ((value == 1.0F) == (kind == MaskKind::hide)) hidden = 1;
      }
    });
  }

  if (has_variant(request, Variant::mask_inverted)) {
    visit_cells(extent, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      mask.hidden.mutable_row(b, h, i)[j] ^= 1;
    });
  }
  mask.hidden.refresh_any();
  if (any_added) {
    // Hidden cells keep what is added to them, for mask-after-softmax; a sum of nothing but zeros is no mask at all.
    bool any_value = false;
    float* added = mask.added.mutable_data();
    visit_cells(extent, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      float& sum = added[((b * extent.heads + h) * query_len + i) * key_len + j];
      if (!std::isfinite(sum)) sum = 0.0F;
      any_value = any_value || sum != 0.0F;
    });
    if (!any_value) mask.added = {};
  }
  return mask;
}

}  // namespace headscope
