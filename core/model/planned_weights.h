// Planned tensors of a checkpoint's files as the parts of a model use them.
#pragma once

#include <memory>

#include "core/model/checkpoint_weights.h"
#include "core/model/weight_lookup.h"
#include "core/model/weight_plan.h"

namespace headscope {

// Empty where no file holds the tensor. A vector is float32, a matrix [out, in] keeps the numbers of its file.
Tensor read_vector(const WeightLookup& lookup, const PlannedTensor& planned);
Tensor read_matrix(const WeightLookup& lookup, const PlannedTensor& planned);
// read_vector() with one axis, however many the file's tensor has.
Tensor read_flat(const WeightLookup& lookup, const PlannedTensor& planned);
NormWeights read_norm(const WeightLookup& lookup, const PlannedModule& planned);
Linear read_linear(const WeightLookup& lookup, const PlannedModule& planned);

// The experts of a layer, whose matrices are views of the files: nothing of them is read here but their biases. Null
// where the layer has none. Of a tensor [experts, in, out] that holds all of them, expert e is the transposed e-th
// part; gate is every even column of gate_up, up every odd one. Of a tensor [experts, out, in] it is the e-th part.
std::shared_ptr<const ExpertWeights> read_experts(const WeightLookup& lookup, const PlannedBlock& planned);

// What makes tokens of an image. Empty where the body reads no images.
PatchWeights read_patches(const WeightLookup& lookup, const PlannedBody& planned);

// A tensor [out, channels, taps] as a copy [out, channels * taps]; empty where no file holds it.
Linear read_convolution(const WeightLookup& lookup, const PlannedModule& planned);

// Empty where no features of a sound are read; matrices are copies, [d_model, channels * taps].
ConvolutionWeights read_convolutions(const WeightLookup& lookup, const PlannedBody& planned);

// What makes the latents of a layer. Null where the layer has none.
std::shared_ptr<const LatentWeights> read_latents(const WeightLookup& lookup, const PlannedBlock& planned);

}  // namespace headscope
