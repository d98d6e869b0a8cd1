// What weights alone say of heads, as text for the terminal, as JSON and as CSV.
#pragma once

#include <string>
#include <vector>

#include "core/circuits/composition.h"
#include "core/circuits/head_maps.h"

namespace headscope::cli {

// Of which model, and what became of its norms.
struct CircuitsHeading {
  std::string model;
  NormFolding norms = NormFolding::fold;
};

// The singular values of a head's W_Q^T W_K and W_O W_V.
struct HeadSpectrum {
  std::int64_t layer = 0, head = 0;
  std::vector<double> qk, ov;
};

// The pairs of largest score of each kind, beside what random matrices have.
std::string composition_text(const CircuitsHeading& heading, const Composition& found);
// {model, norms, random, cells: [{kind, layer, head, from_layer, from_head, value}]}: every pair.
std::string composition_json(const CircuitsHeading& heading, const Composition& found);

// A line a head: both norms, the largest singular values, and the share of the first in the sum of squares.
std::string spectra_text(const CircuitsHeading& heading, const std::vector<HeadSpectrum>& heads);
// {model, norms, heads: [{layer, head, qk: [..], ov: [..]}]}
std::string spectra_json(const CircuitsHeading& heading, const std::vector<HeadSpectrum>& heads);
// circuit,layer,head,number,value
std::string spectra_csv(const std::vector<HeadSpectrum>& heads);

}  // namespace headscope::cli
