#include "core/model/planned_weights.h"

#include <utility>

namespace headscope {
namespace {

std::string name_of(const WeightLookup& lookup, const PlannedTensor& planned) {
  const WeightFiles::Place* place = lookup.find(planned);
  return place == nullptr ? std::string() : place->entry->name;
}

const Axes kMatrix{Axis::position, Axis::feature};

// Every second column of matrix e of [experts, in, 2 * out], from `first` on, as [out, in].
Tensor every_second(const Tensor& stacked, std::int64_t e, std::int64_t first) {
  const std::int64_t in = stacked.dim(1), out = stacked.dim(2) / 2;
  const Shape shape{out, in};
  if (stacked.stored() || stacked.two_byte_data() != nullptr) {
    const Strides& steps = stacked.strides();
    const std::int64_t begin = e * steps[0] + first * steps[2];
    const Strides strides{2 * steps[2], steps[1]};
    const std::shared_ptr<const void> owner = stacked.memory().lock();
    if (stacked.stored()) return Tensor::view_of(owner, stacked.data() + begin, shape, strides, kMatrix);
    return Tensor::two_byte_view_of(owner, stacked.two_byte_data() + begin, stacked.number_type(), shape, strides,
                                    kMatrix);
  }
  return Tensor::computed(shape, kMatrix, [stacked, e, first](const Region& region, std::span<float> to) {
    std::vector<float> columns(static_cast<std::size_t>(2 * region[0].size()));
    for (std::int64_t i = region[1].begin; i < region[1].end; ++i) {
      stacked.read({{e, e + 1}, {i, i + 1}, {2 * region[0].begin, 2 * region[0].end}}, columns);
      for (std::int64_t o = 0; o < region[0].size(); ++o) {
        to[static_cast<std::size_t>(o * region[1].size() + i - region[1].begin)] =
            columns[static_cast<std::size_t>(2 * o + first)];
      }
    }
  });
}

// Matrix e of [experts, in, out], as [out, in].
Tensor matrix_of_expert(const Tensor& stacked, std::int64_t e) {
  const Tensor one = stacked.sliced(0, e, e + 1);
  return one.reshaped({stacked.dim(1), stacked.dim(2)}, kMatrix).permuted({1, 0});
}

// Numbers first, first + step, ... of row e of a bias of all experts; empty where there is none.
Tensor bias_of_expert(const std::vector<float>& all, std::int64_t width, std::int64_t e, std::int64_t first,
                      std::int64_t step) {
  if (all.empty()) return {};
  std::vector<float> row;
  for (std::int64_t o = first; o < width; o += step) row.push_back(all[static_cast<std::size_t>(e * width + o)]);
  const auto count = static_cast<std::int64_t>(row.size());
  return Tensor::of({count}, {Axis::feature}, std::move(row));
}

// Of tensors that hold all experts.
void split_stacked(const WeightLookup& lookup, const PlannedBlock& planned, ExpertWeights& experts) {
  const Linear gate_up = read_linear(lookup, planned.stacked_gate_up), down = read_linear(lookup, planned.stacked_down);
  const std::vector<float> gate_up_bias = gate_up.bias.values(), down_bias = down.bias.values();
  const std::int64_t inner = gate_up.weight.dim(2), width = down.weight.dim(2);
  for (std::int64_t e = 0; e < gate_up.weight.dim(0); ++e) {
    ExpertWeights::Expert expert;
    expert.gate = {every_second(gate_up.weight, e, 0), bias_of_expert(gate_up_bias, inner, e, 0, 2),
                   gate_up.weight_name, gate_up.bias_name};
    expert.up = {every_second(gate_up.weight, e, 1), bias_of_expert(gate_up_bias, inner, e, 1, 2), gate_up.weight_name,
                 gate_up.bias_name};
    expert.down = {matrix_of_expert(down.weight, e), bias_of_expert(down_bias, width, e, 0, 1), down.weight_name,
                   down.bias_name};
    experts.experts.push_back(std::move(expert));
  }
}

// Of tensors [experts, out, in], one each for gate, up and down.
void split_all(const WeightLookup& lookup, const PlannedBlock::Expert& planned, ExpertWeights& experts) {
  const Linear gate = read_linear(lookup, planned.gate), up = read_linear(lookup, planned.up),
               down = read_linear(lookup, planned.down);
  const auto one_of = [](const Linear& all, std::int64_t e) {
    const std::int64_t out = all.weight.dim(1);
    return Linear{all.weight.sliced(0, e, e + 1).reshaped({out, all.weight.dim(2)}, kMatrix),
                  bias_of_expert(all.bias.values(), out, e, 0, 1), all.weight_name, all.bias_name};
  };
  for (std::int64_t e = 0; e < gate.weight.dim(0); ++e) {
    experts.experts.push_back({one_of(gate, e), one_of(up, e), one_of(down, e)});
  }
}

}  // namespace

Tensor read_vector(const WeightLookup& lookup, const PlannedTensor& planned) {
  const WeightFiles::Place* place = lookup.find(planned);
  return place == nullptr ? Tensor() : place->file->tensor(*place->entry);
}

Tensor read_flat(const WeightLookup& lookup, const PlannedTensor& planned) {
  const Tensor read = read_vector(lookup, planned);
  return read.rank() > 1 ? read.reshaped({read.size()}, {Axis::feature}) : read;
}

Tensor read_matrix(const WeightLookup& lookup, const PlannedTensor& planned) {
  const WeightFiles::Place* place = lookup.find(planned);
  if (place == nullptr) return {};
  const Tensor as_stored = place->file->weight(*place->entry);
  return planned.kind == PlannedTensor::Kind::matrix_in_out ? as_stored.permuted({1, 0}) : as_stored;
}

NormWeights read_norm(const WeightLookup& lookup, const PlannedModule& planned) {
  return {read_vector(lookup, planned.weight), read_vector(lookup, planned.bias)};
}

Linear read_linear(const WeightLookup& lookup, const PlannedModule& planned) {
  return {read_matrix(lookup, planned.weight), read_vector(lookup, planned.bias), name_of(lookup, planned.weight),
          name_of(lookup, planned.bias)};
}

std::shared_ptr<const ExpertWeights> read_experts(const WeightLookup& lookup, const PlannedBlock& planned) {
  if (planned.router.weight.empty()) return nullptr;
  auto experts = std::make_shared<ExpertWeights>();
  experts->router = read_linear(lookup, planned.router);
  for (const PlannedBlock::Expert& each : planned.experts) {
    experts->experts.push_back(
        {read_linear(lookup, each.gate), read_linear(lookup, each.up), read_linear(lookup, each.down)});
  }
  if (!planned.stacked_gate_up.weight.empty()) split_stacked(lookup, planned, *experts);
  if (!planned.all_experts.gate.weight.empty()) split_all(lookup, planned.all_experts, *experts);
  experts->correction = read_vector(lookup, planned.router_correction);
  const PlannedBlock::Expert& shared = planned.shared_expert;
  experts->shared = {read_linear(lookup, shared.gate), read_linear(lookup, shared.up),
                     read_linear(lookup, shared.down)};
  return experts;
}

PatchWeights read_patches(const WeightLookup& lookup, const PlannedBody& planned) {
  if (planned.patch.weight.empty()) return {};
  PatchWeights patches;
  patches.projection = read_linear(lookup, planned.patch);
  const std::int64_t width = patches.projection.weight.dim(0);
  // Copies: matrices of a file need not lie row by row.
  const auto rows = [&](const Tensor& from, std::int64_t features) {
    return from.empty() ? Tensor() : Tensor::of({from.size() / features, features}, kMatrix, from.values());
  };
  patches.projection.weight = rows(patches.projection.weight, patches.projection.weight.size() / width);
  patches.class_token = rows(read_vector(lookup, planned.class_token), width);
  patches.registers = rows(read_vector(lookup, planned.registers), width);
  return patches;
}

Linear read_convolution(const WeightLookup& lookup, const PlannedModule& planned) {
  Linear read = read_linear(lookup, planned);
  if (read.empty()) return read;
  const std::int64_t out = read.weight.dim(0), features = read.weight.size() / out;
  read.weight = Tensor::of({out, features}, kMatrix, read.weight.values());
  return read;
}

ConvolutionWeights read_convolutions(const WeightLookup& lookup, const PlannedBody& planned) {
  if (planned.first_convolution.weight.empty()) return {};
  return {read_convolution(lookup, planned.first_convolution), read_convolution(lookup, planned.second_convolution)};
}

std::shared_ptr<const LatentWeights> read_latents(const WeightLookup& lookup, const PlannedBlock& planned) {
  if (planned.key_latent.weight.empty()) return nullptr;
  return std::make_shared<const LatentWeights>(
      LatentWeights{read_linear(lookup, planned.query_latent), read_linear(lookup, planned.key_latent),
                    read_norm(lookup, planned.query_latent_norm), read_norm(lookup, planned.key_latent_norm)});
}

}  // namespace headscope
