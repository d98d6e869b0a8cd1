// Linear maps that a file keeps in another layout than [out, in]: transposed, or one matrix a head.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/weight_files.h"
#include "core/tensor/tensor.h"

namespace headscope {

// How the numbers of a tensor stand. A tensor of every head has three axes, heads first: W[h] is [out, in] or [in, out]
// of head h; biases are [heads, head_dim].
struct StoredLayout {
  enum class Kind { out_in, in_out, heads_out_in, heads_in_out, heads };
  Kind kind = Kind::out_in;
  // Of an output projection: heads stand one behind the other along its inputs, those of other maps along its outputs.
  bool heads_are_inputs = false;
};

// The word of a map for it: "out_in", "in_out", "heads_out_in", "heads_in_out", "heads"; nullopt for another.
std::optional<StoredLayout::Kind> stored_layout_of(std::string_view word);
std::vector<std::string_view> stored_layout_words();

// How many axes a tensor of that layout has, and which: "three axes [heads, in, out]".
int axes_of(StoredLayout layout);
const char* layout_axes(StoredLayout layout);

// The numbers of such a tensor as they are used, see lay_out(): a view where their order allows it, else a copy.
Tensor laid_out(const Tensor& stored, StoredLayout layout);

// Makes the tensor known as `known_as` as it is used, a matrix [out, in] or a vector: with H heads
//   heads_in_out [H, in, d]: row h d + f of [H d, in] is column f of W[h];
//   heads_in_out [H, d, out] of an output projection: column h d + f of [out, H d] is row f of W[h];
//   heads_out_in the same of transposed W[h]; heads [H, d]: number h d + f.
// A tensor of heads is then called "NAME (all heads)" in the files: places of numbers count in that matrix. The numbers
// are those of the file, bit by bit. Returns what does not fit as a part of a sentence, "x is [2], expected three axes
// [heads, in, out]"; "" where all is well. The tensor must be in the files.
std::string lay_out(WeightFiles& files, const std::string& tensor, StoredLayout layout, const std::string& known_as);

}  // namespace headscope
