// The parts of a layer behind attention, with theirs in the place of ours where theirs are given.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/diagnose/layer_on_stream.h"
#include "core/diagnose/program_names.h"
#include "core/tensor/tensor.h"

namespace headscope {

class RestRun {
 public:
  // `stream` enters the layer, `added` is what its attention adds to it, both [batch, len, d_model]. `rest` must live
  // as long as it. `origin`: names of theirs that `added` and `stream` follow from.
  RestRun(const LayerRest& rest, Tensor stream, Tensor added, std::vector<std::string> origin);

  // attended, mlp_in, mlp_out or leaving, [batch, len, d_model], of what was given before it. Throws Cancelled.
  const Tensor& part(DumpPart part);
  // Their numbers take the place of ours from now on; with fewer rows than ours those of the last rows.
  void give(DumpPart part, const Tensor& theirs);
  // Names of theirs that the part follows from.
  std::vector<std::string> origin_of(DumpPart part) const;

 private:
  Tensor computed(DumpPart part);
  void add_origin(DumpPart part, std::vector<std::string>& names) const;

  const LayerRest& rest_;
  Tensor stream_, added_;
  std::vector<std::string> origin_;
  std::map<DumpPart, Tensor> known_;
  std::set<DumpPart> given_;
};

}  // namespace headscope
